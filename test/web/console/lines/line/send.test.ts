import { expect } from 'chai'
import { setLineStatus } from '../../../../../src/domain/lines/lines.js'
import { newId } from '../../../../../src/ids.js'
import { ANNA, BEN, changeRows, countRows, messageRow } from '../../../../domain/fixtures.js'
import { messageBody } from '../../../../helpers/factories.js'
import { forEachTest } from '../../../../helpers/suite.js'
import { redirectOf, describeConsole, wordsOf } from './line-page.js'
import { expectFault, expectSentTo } from '../../support.js'

describeConsole("a line's tab Send", ({ context, web, openLine }) => {
  const line = forEachTest(() => openLine())

  const keyOf = (html: string) => /name="key" value="([\w-]+)"/.exec(html)?.[1] ?? ''

  it('has a form that sends a text, once however often its button is pressed, and shows its way', async () => {
    const key = keyOf(await line.page('/send'))
    const submit = () => line.submit('messages', { to: ANNA, text: 'Hello', key })
    const [status, location] = redirectOf(await submit())
    expect(status).to.equal(303)
    const [, id = ''] = /^\/console\/messages\/([\w-]{36})\?done=text-accepted$/.exec(location ?? '') ?? []
    expect(await messageRow(context, id)).to.include({
      status: 'queued',
      source: 'console',
      from_number: line.number,
      to_number: ANNA,
      text: 'Hello',
    })
    const count = await countRows(context, 'messages')
    expectSentTo(await submit(), location ?? '')
    expect(await countRows(context, 'messages')).to.equal(count)
    const { text } = await line.browser.get(location ?? '')
    expect(wordsOf(text)).to.include('Message accepted.').and.include('Length 1 segment, GSM-7')
  })

  it('sends another text with the same form, as Back shows it again', async () => {
    const key = keyOf(await line.page('/send'))
    const before = await countRows(context, 'messages')
    const typed = { to: ANNA, text: 'Hello', key }
    for (const fields of [typed, { ...typed, to: BEN }, { ...typed, text: 'Goodbye' }, typed]) {
      expect((await line.submit('messages', fields)).status).to.equal(303)
    }
    expect(await countRows(context, 'messages')).to.equal(before + 3)
  })

  it('says what is wrong with a text, with what was typed still in it', async () => {
    const refused = await line.submit('messages', { to: 'nobody', text: '<b>Hi</b>', key: 'k-1' })
    expectFault(refused, 400, /^To: this is not a phone number\. Include the country code/)
    const { text } = refused
    expect(text).to.match(/name="to" [^>]*aria-invalid="true"/)
    expect(text).to.include('<small class="why">This is not a phone number. Include the country code, such')
    expect(text).to.include('value="nobody"').and.include('&lt;b>Hi&lt;/b>').and.include('value="k-1"')
  })

  it('says what to do about a recipient who opted out', async () => {
    const { db } = context
    await db('line_peers').insert({ line_id: line.lineId, number: ANNA, opted_out_at: db.fn.now() })
    const optedOut = await line.submit('messages', { to: ANNA, text: 'Hi' })
    expectFault(optedOut, 403, /^This person opted out \(STOP\)\. They can opt back in by texting START/)
  })

  it('names a field by its label, at the head of the form and below the field', async () => {
    const typed = { to: ANNA, text: 'Hi', sendAt: '2199-01-01T00:00', zone: 'UTC' }
    const answer = await line.submit('messages', typed)
    expectFault(answer, 400, 'Send at can be at most 30 days ahead')
    expect(answer.text).to.match(/name="sendAt" value="2199-01-01T00:00" aria-invalid="true"/)
    expect(answer.text).to.include('<small class="why">Can be at most 30 days ahead</small>')
    expect(answer.text.split('aria-invalid')).to.have.length(2)
    const blank = await line.submit('messages', { ...typed, text: ' ', sendAt: '' })
    expectFault(blank, 400, 'Text is required')
    expect(blank.text).to.match(/<textarea name="text"[^>]*aria-invalid="true"/)
  })

  it('counts segments without a script, on the page, and sends nothing by it', async () => {
    const before = await countRows(context, 'messages')
    const typed = { to: '+1500', text: 'x'.repeat(161), key: 'k-2' }
    const { status, text } = await line.submit('messages/segments', typed)
    expect(status).to.equal(200)
    expect(wordsOf(text)).to.include('2 segments, GSM-7 : 161 characters, 161 units')
    expect(text).to.include('value="+1500"').and.include(typed.text).and.include('value="k-2"')
    expect(await countRows(context, 'messages')).to.equal(before)
  })

  it('counts one in the singular', async () => {
    const { text } = await line.submit('messages/segments', { to: ANNA, text: 'a' })
    expect(wordsOf(text)).to.include('1 segment, GSM-7 : 1 character, 1 unit. A single segment holds 160')
  })

  it('answers the count alone to htmx', async () => {
    const path = `${line.path}/messages/segments`
    const answer = await line.browser.submit(path, { text: 'Zdravo, Čedo' }, { 'HX-Request': 'true' })
    expect(answer.text).not.to.include('<html')
    const words = wordsOf(answer.text)
    expect(words).to.include('1 segment, UCS-2 : 12 characters, 12 units. A single segment holds 70,')
    expect(words).to.include(
      'each segment of a longer text holds 67, because the text has a character that is not in GSM-7.',
    )
  })

  it('counts with the national tables of the line’s carrier account', async () => {
    const ankara = { id: newId(), name: 'ankara', kind: 'smpp', languages: ['turkish'] }
    await context.db('carrier_accounts').insert(ankara)
    await changeRows(context, 'lines', line.lineId, { carrier: 'ankara' })
    const { text } = await line.submit('messages/segments', { to: ANNA, text: 'şğ' })
    expect(wordsOf(text)).to.include(
      '1 segment, GSM-7 : 2 characters, 4 units. A single segment holds 155, and each segment of a longer text holds 149, ' +
        'because the text uses Turkish characters of GSM-7.',
    )
  })

  it('has no form for a disabled line, but keeps what was typed if that was done meanwhile', async () => {
    await setLineStatus(context, line.userId, line.lineId, 'disabled')
    expect(await line.words('/send')).to.include('This line is disabled and cannot send.')
    const typed = { to: ANNA, text: 'A long text' }
    const refused = await line.submit('messages', typed)
    expectFault(refused, 403, 'This line is disabled and cannot send')
    expect(refused.text).to.include(`value="${ANNA}"`).and.include('>A long text</textarea>')
    const { text } = await line.submit('messages/segments', typed)
    expect(text).to.include('>A long text</textarea>')
    const reply = await line.submit(`conversations/${encodeURIComponent(ANNA)}/messages`, typed)
    expectFault(reply, 403, 'This line is disabled and cannot send')
    expect(reply.text).to.include('>A long text</textarea>')
  })

  it('has gauges of the messages that were accepted, of the line and of the busiest numbers', async () => {
    const send = async (toNumber: string, times: number) => {
      for (let n = 0; n < times; n += 1) {
        expect((await web.post(line.webhookPath, messageBody({ toNumber }))).status).to.equal(200)
      }
    }
    const empty = await line.words('/send')
    expect(empty).to.include('0 of 30 in the last 60 s in total No messages to individual numbers')
    await send('+15005550101', 5)
    await send('+15005550102', 2)
    const html = await line.page('/send')
    expect(html).to.include(`data-live="${line.path}/limits/live"`)
    expect(wordsOf(html))
      .to.include('7 of 30 in the last 60 s in total')
      .and.match(/5 of 5 in the last 60 s to \+15005550101; limit reached, next slot in \d\d? s/)
      .and.include('2 of 5 in the last 60 s to +15005550102')
    expect(wordsOf(html).match(/next slot/g)).to.have.length(1)
    expect(html).to.match(/<meter[^>]*max="30"[^>]*value="7"/)
  })
})
