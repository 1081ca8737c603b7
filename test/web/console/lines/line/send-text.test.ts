import { expect } from 'chai'
import { setLineStatus } from '../../../../../src/domain/lines/lines.js'
import { ANNA, countRows, messageRow } from '../../../../domain/fixtures.js'
import { describeWith } from '../../../../helpers/suite.js'
import { redirectOf, startConsole, wordsOf, type OpenLine } from './line-page.js'

describeWith("the form for a text on a line's page", startConsole, (site) => {
  let line: OpenLine

  beforeEach(async () => {
    line = await site.openLine()
  })

  const keyOf = (html: string) => /name="key" value="([\w-]+)"/.exec(html)?.[1] ?? ''

  it('sends a text, once however often its button is pressed, and shows its way', async () => {
    const key = keyOf(await line.page('/send'))
    const submit = () => line.submit('messages', { to: ANNA, text: 'Hello', key })
    const [status, location] = redirectOf(await submit())
    expect(status).to.equal(303)
    const [, id = ''] = /^\/console\/messages\/([\w-]{36})\?done=text-accepted$/.exec(location ?? '') ?? []
    expect(await messageRow(site.context, id)).to.include({
      status: 'queued',
      source: 'console',
      from_number: line.number,
      to_number: ANNA,
      text: 'Hello',
    })
    const count = await countRows(site.context, 'messages')
    expect(redirectOf(await submit())).to.deep.equal([303, location])
    expect(await countRows(site.context, 'messages')).to.equal(count)
    const { text } = await line.browser.get(location ?? '')
    expect(wordsOf(text)).to.include('The text is accepted.').and.include('Hello 1 segment, GSM-7')
  })

  it('says what is wrong, with what was typed still in it', async () => {
    const { status, text } = await line.submit('messages', { to: 'nobody', text: '<b>Hi</b>', key: 'k-1' })
    expect(status).to.equal(400)
    expect(text).to.match(/role="alert"[^>]*>Provided toNumber phone number cannot be parsed/)
    expect(text).to.include('value="nobody"').and.include('&lt;b>Hi&lt;/b>').and.include('value="k-1"')
  })

  it('counts segments without a script, on the page, and sends nothing by it', async () => {
    const before = await countRows(site.context, 'messages')
    const typed = { to: '+1500', text: 'x'.repeat(161), key: 'k-2' }
    const { status, text } = await line.submit('messages/segments', typed)
    expect(status).to.equal(200)
    expect(wordsOf(text)).to.include('2 segments, GSM-7 : 161 characters take 161 units')
    expect(text).to.include('value="+1500"').and.include(typed.text).and.include('value="k-2"')
    expect(await countRows(site.context, 'messages')).to.equal(before)
  })

  it('answers the count alone to htmx', async () => {
    const csrf = /name="csrf" value="([\w-]+)"/.exec(await line.page('/send'))?.[1] ?? ''
    const body = new URLSearchParams({ csrf, text: 'Zdravo, Čedo' }).toString()
    const path = `${line.path}/messages/segments`
    const answer = await line.browser.post(path, body, { 'HX-Request': 'true' })
    expect(answer.text).not.to.include('<html')
    expect(wordsOf(answer.text)).to.include('1 segment, UCS-2 : 12 characters take 12 units')
  })

  it('is not there for a disabled line', async () => {
    await setLineStatus(site.context, line.userId, line.lineId, 'disabled')
    expect(wordsOf(await line.page('/send'))).to.include('A disabled line sends nothing.')
    expect((await line.submit('messages', { to: ANNA, text: 'Hello' })).status).to.equal(403)
  })
})
