import { expect } from 'chai'
import { newId } from '../../../../src/ids.js'
import { saveContact } from '../../../../src/domain/lines/contacts.js'
import { ANNA, queueMessage } from '../../../domain/fixtures.js'
import { createPerson } from '../../../domain/people/people.js'
import { browse } from '../../../helpers/web/browser-session.js'
import { createLine } from '../../../helpers/factories.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { wordsOf } from '../lines/line/line-page.js'
import { browseAs, expectFault, expectPage } from '../support.js'

const SEARCH = '/console/search'

describeWeb('the search', ({ context, web }) => {
  const find = async (userId: string, written: string) =>
    (await browse(context, web, userId)).get(`${SEARCH}?q=${encodeURIComponent(written)}`)

  it('is on every page, and sends no request on its own', async () => {
    const browser = await browseAs(context, web)
    expect((await browser.get('/console')).text).to.match(/<form [^>]*action="\/console\/search"/)
    const page = await browser.get(SEARCH)
    expectPage(page)
    expect(page.text).not.to.include('No results')
    expect(wordsOf(page.text)).to.include('Finds messages, contacts, lines, endpoints and applications.')
  })

  it('links to the message, with its outcome', async () => {
    const line = await createLine(context)
    const id = await queueMessage(context, line, {
      to_number: '+14155550142',
      status: 'failed',
      error: 'expired',
    })
    const { text } = await find(line.userId, '415 555 0142')
    expect(text).to.include(`href="/console/messages/${id}"`)
    expect(wordsOf(text)).to.include('+14155550142')
    expect(text).to.match(/<p class="why">[^<]+/)
  })

  it('leads to the user’s own text in one click, and to older ones', async () => {
    const line = await createLine(context)
    const id = await queueMessage(context, line, { text: 'Your Invoice <4711> is ready' })
    const { text } = await find(line.userId, 'invoice')
    expect(text)
      .to.include(`href="/console/messages/${id}"`)
      .and.to.include('Your Invoice &lt;4711> is ready')
    expect(text).to.include('href="/console/activity?text=invoice"')
  })

  it('links a contact to the activity with exactly this number, short code or name', async () => {
    const line = await createLine(context)
    for (const [number, name] of [
      [ANNA, 'A bank by phone'],
      ['70123', 'A bank by code'],
      ['MYBANK', 'A bank by name'],
    ] as const) {
      await saveContact(context, line.userId, number, { name })
      const { text } = await find(line.userId, name)
      const [, path = ''] = /href="([^"]*activity\?number=[^"]*)"/.exec(text) ?? []
      const list = await (await browse(context, web, line.userId)).get(path)
      expectPage(list)
      expect(wordsOf(list.text), number).to.include('No messages match this filter.')
      expect(path, number).to.match(number === ANNA ? /=%2B15005550101$/ : /=%22\w+%22$/)
    }
  })

  it('has the name that the user gave the other party before the number', async () => {
    const line = await createLine(context)
    await queueMessage(context, line, { text: 'Your table is ready', to_number: ANNA })
    await saveContact(context, line.userId, ANNA, { name: 'Anna' })
    const words = wordsOf((await find(line.userId, 'table')).text)
    expect(words).to.match(new RegExp(`Text to Anna \\${ANNA} Your table is ready`))
  })

  it('shows operators the owner and the outcome, but neither the number nor the text', async () => {
    const operator = await createPerson(context, { role: 'operator' })
    const owner = await createPerson(context)
    const line = await createLine(context, { userId: owner.id, name: 'Desk' })
    const id = await queueMessage(context, line, { to_number: '+14155550142', text: 'a secret of theirs' })
    const { text } = await find(operator.id, id)
    expect(text).to.include(id).and.to.include(owner.email).and.to.include('queued')
    expect(wordsOf(text)).not.to.include('+14155550142').and.not.to.include('a secret of theirs')
    expect(text).to.include(`href="/console/users/${owner.id}/messages/${id}"`)
    expect((await find(operator.id, owner.email)).text).to.include(`href="/console/users/${owner.id}"`)
  })

  it('asks an operator for a reason before it finds a number in other users’ messages', async () => {
    const operator = await createPerson(context, { role: 'operator' })
    const owner = await createPerson(context)
    const line = await createLine(context, { userId: owner.id })
    const number = '+14155550143'
    const id = await queueMessage(context, line, { to_number: number })
    const operating = await browse(context, web, operator.id)
    const asked = await operating.get(`${SEARCH}?q=${encodeURIComponent(number)}`)
    expect(asked.text)
      .to.include('Give a reason')
      .and.to.include(`action="${SEARCH}/look"`)
      .and.not.to.include(id)
    const refused = await operating.submit(`${SEARCH}/look`, { q: number, reason: 'x' })
    expectFault(refused, 400, /^Reason must say/)
    expect(refused.text)
      .to.include(`name="q" value="${number}"`)
      .and.to.include('name="reason" required value="x"')
    const opened = await operating.submit(`${SEARCH}/look`, { q: number, reason: 'ticket 4711' })
    expect(opened.headers.get('location')).to.equal(`${SEARCH}?q=${encodeURIComponent(number)}`)
    const found = await operating.get(opened.headers.get('location') ?? '')
    expect(found.text).to.include(id).and.to.include(owner.email).and.to.include('…43')
  })

  it('says when nothing matches, and explains invalid input', async () => {
    const { id } = await createPerson(context)
    expect((await find(id, newId())).text).to.include('No results.')
    const short = await find(id, 'ab')
    expectFault(short, 400, 'Enter at least 3 characters')
    expect(short.text).to.include('value="ab"')
  })
})
