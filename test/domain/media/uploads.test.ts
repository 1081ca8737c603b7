import { expect } from 'chai'
import { removeOldMedia } from '../../../src/domain/media/retention.js'
import { uploadTokenOf } from '../../../src/domain/media/upload-url.js'
import { keepUpload, openUpload } from '../../../src/domain/media/uploads.js'
import { describeContext } from '../../helpers/context.js'
import { expectRefusal } from '../refusal.js'
import { countRows } from '../fixtures.js'
import { MEDIA, NO_MEDIA, pictureOf } from '../media-samples.js'

const CONTENT_TYPES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  webm: 'audio/webm',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  amr: 'audio/amr',
}

const REFUSALS = {
  picture: 'picture must be a png, jpg or gif file',
  recording: 'recording must be a wav, mp3, ogg, webm, m4a or amr file',
}

const environment = { PUBLIC_URL: 'https://lines.example/hook' }

describeContext('uploads', { environment }, (context) => {
  beforeEach(() => context.db('uploads').delete())

  const tokenOf = (url: string) => url.split('/').at(-1) ?? ''

  for (const field of ['picture', 'recording'] as const) {
    for (const [ending, bytes] of Object.entries(MEDIA[field])) {
      it(`keep a ${field} that is ${ending} by its bytes, and give them back with that type`, async () => {
        const media = await openUpload(context, tokenOf(await keepUpload(context, field, bytes)))
        expect(media.contentType).to.equal(CONTENT_TYPES[ending])
        expect(media.bytes.equals(bytes)).to.be.true
      })
    }

    for (const [what, bytes] of [
      ...Object.entries(NO_MEDIA),
      ...Object.entries(MEDIA[field === 'picture' ? 'recording' : 'picture']),
    ]) {
      it(`refuse ${what} as a ${field}`, async () => {
        await expectRefusal(keepUpload(context, field, bytes), 400, REFUSALS[field])
        expect(await countRows(context, 'uploads')).to.equal(0)
      })
    }
  }

  it('are deleted when they are as old as media may become', async () => {
    const tokens = [29, 31].map((days) => ({ token: `days-${days}`, days }))
    for (const { token, days } of tokens) {
      await context.db('uploads').insert({
        ...{ token, content_type: 'image/png', bytes: Buffer.of(0) },
        created_at: context.db.raw(`now() - ? * interval '1 day'`, [days]),
      })
    }
    expect(await removeOldMedia(context)).to.equal(1)
    expect(await context.db('uploads').pluck('token')).to.deep.equal(['days-29'])
  })

  it('are known by their beginning, as a recording with a big picture in it', async () => {
    const tagBytes = 200_000
    const size = [14, 7, 0].map((shift) => (tagBytes >> shift) & 0x7f)
    const tag = Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), Buffer.from([0, ...size])])
    const recording = Buffer.concat([tag, Buffer.alloc(tagBytes), MEDIA.recording.mp3!])
    const media = await openUpload(context, tokenOf(await keepUpload(context, 'recording', recording)))
    expect(media.contentType).to.equal('audio/mpeg')
  })

  it('have a URL of their own below the public one, which cannot be guessed', async () => {
    const urls = [await keepUpload(context, 'picture', MEDIA.picture.png!)]
    urls.push(await keepUpload(context, 'picture', MEDIA.picture.png!))
    for (const url of urls) {
      expect(url).to.match(/^https:\/\/lines\.example\/hook\/uploads\/[\w-]{43}$/)
    }
    expect(urls[0]).not.to.equal(urls[1])
  })

  it('are smaller than 5,000,000 bytes', async () => {
    const url = await keepUpload(context, 'picture', pictureOf(4_999_999))
    expect((await openUpload(context, tokenOf(url))).bytes).to.have.length(4_999_999)
    for (const field of ['picture', 'recording'] as const) {
      const refused = keepUpload(context, field, pictureOf(5_000_000))
      await expectRefusal(refused, 413, `${field} must be smaller than 5,000,000 bytes`)
    }
  })

  it('are not found by a token that was not given out, whatever it is', async () => {
    const token = tokenOf(await keepUpload(context, 'picture', MEDIA.picture.png!))
    for (const wrong of ['', 'x'.repeat(43), token.slice(1), `${token}x`, `${token}\0`, '%00', '../x']) {
      await expectRefusal(openUpload(context, wrong), 404)
    }
  })

  it('are told from the media of others by their URL', async () => {
    const url = await keepUpload(context, 'picture', MEDIA.picture.png!)
    expect(uploadTokenOf(context, url)).to.equal(tokenOf(url))
    for (const other of ['https://evil.example/uploads/x', 'https://lines.example/hook/x', '']) {
      expect(uploadTokenOf(context, other)).to.equal(undefined)
    }
  })
})
