import { expect } from 'chai'
import { keepUpload } from '../../../src/domain/media/uploads.js'
import { simulateInbound, type SimulatedInbound } from '../../../src/domain/simulator/simulator.js'
import { addUser } from '../../../src/domain/people/users.js'
import { ANNA, BEN, moveToAnotherCarrier, queueMessage } from '../../domain/fixtures.js'
import { MEDIA } from '../../domain/media-samples.js'
import { browse, type BrowserSession } from '../../helpers/web/browser-session.js'
import { createLine, lineForEachTest } from '../../helpers/factories.js'
import { copyMedia, copyMediaToTheEnd, mediaRow } from '../../helpers/media.js'
import { describeWeb, withWeb } from '../../helpers/web/web.js'

describeWeb('/simulator, the page', ({ context, web }) => {
  const line = lineForEachTest(context, { name: 'Front desk' })
  let browser: BrowserSession

  beforeEach(async () => {
    browser = await browse(context, web, line.userId)
  })

  const receive = (fields: Partial<SimulatedInbound> = { text: 'Hi' }, to = line) =>
    simulateInbound(context, { fromNumber: ANNA, toNumber: to.number, ...fields })
  const send = (text: string, from = line) =>
    queueMessage(context, from, { text, status: 'sent', sent_at: new Date() })
  const pageOf = async (...phones: string[]) =>
    (
      await browser.get(
        `/simulator?${new URLSearchParams(phones.map((phone) => ['phone', phone])).toString()}`,
      )
    ).text
  const phonesOn = (html: string) =>
    [...html.matchAll(/<section class="phone" aria-label="Phone (\+\d+)"/g)].map(([, number]) => number)

  it('has a phone for each number that was last in touch, else one to begin with', async () => {
    expect(phonesOn(await pageOf())).to.deep.equal(['+15005550199'])
    await receive()
    await receive({ text: 'Hi', fromNumber: BEN })
    expect(phonesOn(await pageOf())).to.deep.equal([BEN, ANNA])
  })

  it('adds a phone, and removes one', async () => {
    const { text } = await browser.get(`/simulator?phone=${ANNA}&add=%2B1+500+555+0102`)
    expect(phonesOn(text)).to.deep.equal([ANNA, BEN])
    expect(text).to.include(`href="/simulator?phone=%2B15005550101"`)
    expect(await pageOf(ANNA)).not.to.include('Remove')
  })

  it('says what is wrong with a number that is added, and keeps the phones', async () => {
    const { status, text } = await browser.get(`/simulator?phone=%2B15005550101&add=nobody`)
    expect(status).to.equal(400)
    expect(phonesOn(text)).to.deep.equal([ANNA])
    expect(text).to.include('phone must be a phone number').and.to.include('value="nobody"')
  })

  it('names phone when the URL has one that is no number', async () => {
    for (const query of ['phone=nobody', 'phone=%00', `phone=${'1'.repeat(100)}`]) {
      const { status, text } = await browser.get(`/simulator?${query}`)
      expect([status, text.includes('phone must be a phone number')], query).to.deep.equal([400, true])
    }
  })

  it('shows the conversation of each phone with the lines, and whose line it was', async () => {
    await receive({ text: 'from Anna' })
    await send('to Anna')
    const html = await pageOf(ANNA, BEN)
    expect(html).to.match(
      /class="from-phone".*from Anna.*to <bdi dir="auto">Front desk.*class="from-line".*to Anna.*from <bdi dir="auto">Front desk/s,
    )
    expect(html.match(/from Anna/g)).to.have.length(1)
  })

  it('shows pictures and plays recordings from our own copies, when they are there', async () => {
    const pathOf = async (fields: Partial<SimulatedInbound>) => {
      const outcome = await receive(fields)
      if (outcome.kind !== 'received') throw new Error(outcome.kind)
      expect(await pageOf(ANNA))
        .to.match(/id="message-[\w-]+-under-way"/)
        .and.include('copying…')
      await copyMedia(context, outcome.messageId)
      return `/media/${(await mediaRow(context, outcome.messageId)).token}`
    }
    const picture = await pathOf({ mediaUrl: await keepUpload(context, 'picture', MEDIA.picture.png!) })
    const recording = await pathOf({
      voicemailUrl: await keepUpload(context, 'recording', MEDIA.recording.mp3!),
    })
    const html = await pageOf(ANNA)
    expect(html).to.include(`<img src="${picture}" alt="Picture"`).and.not.include('under-way')
    expect(html).to.match(new RegExp(`<audio [^>]*src="${recording}"`))
  })

  it('loads and links to nothing elsewhere, and says why there is no copy', async () => {
    for (const url of ['https://127.0.0.1:1/a.png', 'javascript:alert(1)']) {
      const outcome = await receive({ mediaUrl: url })
      if (outcome.kind !== 'received') throw new Error(outcome.kind)
      await copyMediaToTheEnd(context, outcome.messageId)
    }
    const html = await pageOf(ANNA)
    expect(html).to.include('refused the connection').and.include('cannot be called')
    expect(html).to.not.include('127.0.0.1:1').and.not.include('javascript:')
  })

  it('offers the lines of the user at the simulator, and has chosen the one that was last in touch', async () => {
    const other = await createLine(context, { userId: line.userId, name: 'Other line' })
    const elsewhere = await createLine(context, { userId: line.userId, name: 'Real line' })
    await moveToAnotherCarrier(context, elsewhere)
    const stranger = await createLine(context, { name: 'Not yours' })
    await receive({ text: 'Hi' }, other)
    const html = await pageOf(ANNA)
    expect(html).to.include(`<option value="${line.lineId}">`)
    expect(html).to.include(`<option value="${other.lineId}" selected>`)
    for (const { lineId } of [elsewhere, stranger]) expect(html).not.to.include(lineId)
  })

  it('says what to do to who has no line', async () => {
    const user = await addUser(context, { email: 'lineless@example.com' })
    browser = await browse(context, web, user.id)
    expect(await pageOf())
      .to.include('You have no lines on the simulator yet')
      .and.not.include('<h2>')
  })

  it('is not there without the simulator', async () => {
    await withWeb({ SIMULATOR: 'false' }, async ({ context: without, web: webWithout }) => {
      const user = await addUser(without, { email: 'somebody@example.com' })
      const visitor = await browse(without, webWithout, user.id)
      for (const path of ['/simulator', '/simulator/live']) {
        expect((await visitor.get(path)).status, path).to.equal(404)
      }
      // What people attach in a conversation is not the simulator's.
      const uploaded = new URL(await keepUpload(without, 'picture', MEDIA.picture.png!)).pathname
      expect((await webWithout.request(uploaded)).status).to.equal(200)
      expect((await webWithout.post('/simulator/inbound', {})).status).to.equal(404)
      expect((await webWithout.request('/simulator/outbox')).status).to.equal(404)
      for (const path of ['messages', 'voicemails']) {
        const { status } = await visitor.submitMultipart(`/simulator/phones/15005550101/${path}`, {})
        expect(status, path).to.equal(404)
      }
    })
  })
})
