import { expect } from 'chai'
import { fetchMedia } from '../../../src/domain/media/fetch.js'
import { ANNA, countRows, type MessageRow } from '../../domain/fixtures.js'
import { MEDIA, NO_MEDIA, pictureOf } from '../../domain/media-samples.js'
import { browse, type BrowserSession } from '../../helpers/web/browser-session.js'
import { lineForEachTest } from '../../helpers/factories.js'
import { copyMedia } from '../../helpers/media.js'
import { describeWeb, type Answer } from '../../helpers/web/web.js'

const PHONE = '/simulator/phones/15005550101'
const SHOWN = '?phone=%2B15005550101&phone=%2B15005550102'

describeWeb("a phone's form at /simulator", ({ context, web }) => {
  const line = lineForEachTest(context)
  let browser: BrowserSession

  beforeEach(async () => {
    await context.db('uploads').delete()
    browser = await browse(context, web, line.userId)
  })

  const send = (fields: Record<string, string | Blob>) =>
    browser.submitMultipart(`${PHONE}/messages${SHOWN}`, { lineId: line.lineId, text: '', ...fields })
  const call = (fields: Record<string, string | Blob> = {}) =>
    browser.submitMultipart(`${PHONE}/voicemails${SHOWN}`, { lineId: line.lineId, ...fields })
  const file = (bytes: Buffer) => new Blob([new Uint8Array(bytes)], { type: 'text/html' })
  const received = () =>
    context
      .db('messages')
      .where({ line_id: line.lineId })
      .orderBy('id')
      .select<(MessageRow & { type: string })[]>()

  function expectSent(answer: Answer): void {
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, `/simulator${SHOWN}`])
  }

  /** The page again, with the fault at the form. */
  async function expectRefused(answer: Answer, status: number, fault: string): Promise<void> {
    expect(answer.status).to.equal(status)
    expect(answer.text).to.include(fault).and.to.include('<h1>Phone simulator</h1>')
    expect(await received()).to.deep.equal([])
    expect(await countRows(context, 'uploads')).to.equal(0)
  }

  it('sends a text, and goes back to the phones that were on the screen', async () => {
    expectSent(await send({ text: 'Hello line' }))
    expect((await received())[0]).to.include({ type: 'text', text: 'Hello line', from_number: ANNA })
  })

  it('sends a picture, whose type is told by its bytes', async () => {
    expectSent(await send({ picture: file(MEDIA.picture.gif!) }))
    const [message] = await received()
    expect(message).to.include({ type: 'media', text: null })
    await copyMedia(context, message!.id)
    const served = await web.request(new URL(message?.media_urls?.[0] ?? '').pathname)
    expect(served.headers.get('content-type')).to.equal('image/gif')
  })

  it('leaves a voicemail: the recording, or a sample when there is none', async () => {
    expectSent(await call({ recording: file(MEDIA.recording.ogg!) }))
    expectSent(await call())
    const messages = await received()
    expect(messages.map(({ type }) => type)).to.deep.equal(['voicemail', 'voicemail'])
    const types = await Promise.all(
      messages.map(async ({ id, media_urls }) => {
        await copyMedia(context, id)
        return (await web.request(new URL(media_urls?.[0] ?? '').pathname)).headers.get('content-type')
      }),
    )
    expect(types).to.deep.equal(['audio/ogg', 'audio/wav'])
  })

  it('takes file fields that were left empty, as browsers send them', async () => {
    const empty = new File([], '')
    expectSent(await send({ text: 'Hi', picture: empty, recording: empty }))
    expectSent(await call({ text: '', picture: empty, recording: empty }))
    expect((await received()).map(({ type }) => type)).to.deep.equal(['text', 'voicemail'])
  })

  it('sends several pictures in one message, in their order, or none of them if one is refused', async () => {
    const sendAll = (bytes: readonly Buffer[]) => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ lineId: line.lineId, text: 'Look' }))
        form.append(name, value)
      for (const each of bytes) form.append('picture', file(each))
      return browser.submitForm(`${PHONE}/messages${SHOWN}`, form)
    }
    const { gif, png } = MEDIA.picture
    await expectRefused(
      await sendAll([gif!, Object.values(NO_MEDIA)[1]!]),
      400,
      'picture must be a png, jpg or gif file',
    )
    await expectRefused(
      await sendAll(Array.from({ length: 11 }, () => gif!)),
      400,
      'picture accepts at most 10 files',
    )
    const large = Buffer.concat([gif!, Buffer.alloc(4_000_000)])
    await expectRefused(
      await sendAll([large, large, large]),
      413,
      'The files must be smaller than 10 MB together',
    )
    expectSent(await sendAll([gif!, png!, gif!]))
    const [message] = await received()
    for (const { id } of await context
      .db('media')
      .where({ message_id: message!.id })
      .select<{ id: string }[]>('id'))
      await fetchMedia(context, id)
    const types = []
    for (const url of message?.media_urls ?? []) {
      types.push((await web.request(new URL(url).pathname)).headers.get('content-type'))
    }
    expect(types).to.deep.equal(['image/gif', 'image/png', 'image/gif'])
    expect((await browser.get('/simulator')).text).to.match(/<input name="picture"[^>]* multiple/)
  })

  it('refuses what is no picture or no recording, and keeps what was typed', async () => {
    for (const bytes of Object.values(NO_MEDIA).slice(1)) {
      const answer = await send({ text: 'typed "before"', picture: file(bytes) })
      await expectRefused(answer, 400, 'picture must be a png, jpg or gif file')
      expect(answer.text).to.include('value="typed &quot;before&quot;"')
      await expectRefused(await call({ recording: file(bytes) }), 400, 'recording must be a wav')
    }
  })

  it('refuses 5,000,000 bytes and more, at the form, with what was typed', async () => {
    for (const byteCount of [5_000_000, 9_000_000]) {
      const answer = await send({ text: 'typed before', picture: file(pictureOf(byteCount)) })
      await expectRefused(answer, 413, 'picture must be smaller than 5,000,000 bytes')
      expect(answer.text).to.include('value="typed before"')
      await expectRefused(
        await call({ recording: file(pictureOf(byteCount)) }),
        413,
        'recording must be smaller than 5,000,000 bytes',
      )
    }
  })

  it('refuses a text that is too long, and nothing at all', async () => {
    await expectRefused(await send({ text: 'x'.repeat(1601) }), 400, 'Text must have at most 1600 characters')
    await expectRefused(await send({ text: 'x'.repeat(20_000) }), 413, 'text is too long')
    await expectRefused(await send({ text: ' ' }), 400, 'Text is required')
  })

  it('wants multipart/form-data that can be read to its end', async () => {
    for (const path of ['messages', 'voicemails']) {
      expect((await browser.submit(`${PHONE}/${path}`, { text: 'Hi' })).status).to.equal(415)
      for (const [type, body] of [
        ['multipart/form-data', 'x'],
        ['multipart/form-data; boundary=b', ''],
        ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nHi'],
        ['multipart/form-data; boundary=b', '--b\r\n\r\n\r\n--b--'],
      ] as const) {
        const { status } = await browser.post(`${PHONE}/${path}`, body, { 'Content-Type': type })
        expect(status, body).to.be.oneOf([400, 403])
      }
    }
    expect(await received()).to.deep.equal([])
  })

  it('wants no more fields and files than it has', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`field${n}`, 'x']))
    expect((await send({ text: 'Hi', ...many })).status).to.equal(400)
    expect((await send({ text: 'Hi', other: file(MEDIA.picture.png!) })).status).to.equal(400)
    expect(await received()).to.deep.equal([])
  })

  it('refuses who is not signed in before it reads anything', async () => {
    browser = await browse(context, web)
    for (const answer of [
      await send({ text: 'Hi' }),
      await call({ recording: file(pictureOf(6_000_000)) }),
    ]) {
      expect(answer.status).to.equal(401)
    }
    expect(await received()).to.deep.equal([])
  })
})
