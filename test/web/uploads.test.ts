import { expect } from 'chai'
import { keepUpload } from '../../src/domain/media/uploads.js'
import { readRange } from '../../src/web/input/range.js'
import { MEDIA } from '../domain/media-samples.js'
import { describeWeb } from '../helpers/web/web.js'

describeWeb('/uploads', ({ context, web }) => {
  const keep = async (field: 'picture' | 'recording', bytes: Buffer) =>
    new URL(await keepUpload(context, field, bytes)).pathname
  const fetchBytes = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(web.url + path, { headers })
    return { response, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  it('serves what a phone attached, to whoever has the URL, and lets it do nothing', async () => {
    const { response, bytes } = await fetchBytes(await keep('recording', MEDIA.recording.mp3!))
    expect(response.status).to.equal(200)
    expect(bytes.equals(MEDIA.recording.mp3!)).to.be.true
    expect(Object.fromEntries(response.headers)).to.include({
      'content-type': 'audio/mpeg',
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-disposition': 'inline',
      'cache-control': 'private, max-age=86400',
    })
  })

  it('answers 404 for what nobody attached', async () => {
    const path = await keep('picture', MEDIA.picture.png!)
    for (const wrong of [`${path}x`, path.slice(0, -1), '/uploads/x', '/uploads/%00']) {
      const { status, headers } = await web.request(wrong)
      expect([status, headers.get('cache-control')], wrong).to.deep.equal([404, 'no-store'])
    }
  })

  describe('reads of ten bytes', () => {
    for (const [header, range] of [
      ['bytes=0-', { first: 0, last: 9 }],
      ['bytes=0-1', { first: 0, last: 1 }],
      ['bytes=3-99', { first: 3, last: 9 }],
      ['bytes=9-9', { first: 9, last: 9 }],
      ['bytes=-4', { first: 6, last: 9 }],
      ['bytes=-99', { first: 0, last: 9 }],
      ['bytes=-0', undefined],
      ['bytes=10-', undefined],
      ['bytes=5-4', undefined],
      ['bytes=-', undefined],
      ['bytes=0-1,3-4', undefined],
      ['items=0-1', undefined],
      ['', undefined],
    ] as const) {
      it(`${range === undefined ? 'the whole' : `${range.first} to ${range.last}`} for "${header}"`, () => {
        expect(readRange(header, 10)).to.deep.equal(range)
      })
    }
  })
})
