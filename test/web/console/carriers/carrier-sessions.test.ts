import { expect } from 'chai'
import { startSmsc, type Smsc } from '../../../../dev/smsc/server.js'
import { notePhone } from '../../../../src/domain/carriers/accounts/phones.js'
import { addCarrierAccount, getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { holdAccounts } from '../../../../src/domain/carriers/held-accounts/holder.js'
import { addSmppAccount } from '../../../domain/carriers/smpp/fixtures.js'
import type { BrowserSession } from '../../../helpers/web/browser-session.js'
import { hear, type Heard } from '../../../helpers/web/hear.js'
import { until } from '../../../helpers/until.js'
import { describeWeb } from '../../../helpers/web/web.js'
import { browseAs } from '../support.js'

const CARRIERS = '/console/carriers'

describeWeb('the pages of carriers that are reached by sessions', ({ context, web }) => {
  let smsc: Smsc
  let browser: BrowserSession
  let path: string

  before(async () => {
    smsc = await startSmsc()
    browser = await browseAs(context, web, 'operator')
    path = `${CARRIERS}/${(await addSmppAccount(context, 'smsc', { port: smsc.port })).id}`
  })
  after(() => smsc.close())

  const read = async (of: string) => (await browser.get(of)).text
  /** What the last event of a stream shows. */
  const last = ({ text }: Heard) => text.split('\n\n').findLast((each) => each.startsWith('data: ')) ?? ''

  it('show live whether each account is bound, since when, and what went wrong last', async () => {
    const notHeld = 'not bound, because no receive-smpp process is running'
    for (const page of [CARRIERS, path]) {
      const text = await read(page)
      expect(text).to.include(notHeld).and.to.include(`data-live="${page}/live"`)
    }
    const shown = await Promise.all(
      [CARRIERS, path].map((page) => hear(`${web.url}${page}/live`, { Cookie: browser.cookie() })),
    )
    const both = (what: string, expected: RegExp) =>
      until(what, () => shown.every((heard) => expected.test(last(heard))))
    await both('what the pages say', new RegExp(notHeld))

    const holder = holdAccounts(context, { followMs: 50 })
    await both('the bind', /badge good">bound<.*since <time/)
    await smsc.close()
    await both(
      'the end of it',
      /badge bad">not bound<.*since <time.*Last error: cannot connect to 127\.0\.0\.1, port \d+: .*ECONNREFUSED/,
    )
    await holder.close()
    await both('that nobody holds it', new RegExp(notHeld))
    await Promise.all(shown.map((heard) => heard.close()))
  })

  it('show how the phone is, where one sends', async () => {
    const settings = { username: 'sms', password: 'p', signingKey: 'k' }
    const account = await addCarrierAccount(context, { name: 'phone', kind: 'smsgate', settings })
    const own = `${CARRIERS}/${account.id}`
    expect(await read(own))
      .to.include('>Phone</h2>')
      .and.to.include('No contact with the phone yet')
    const contactAt = new Date(Date.now() - 150_000)
    const phone = { id: 'one', batteryPercent: 84, isCharging: true, contactAt }
    for (const [awayAfterMs, expected] of [
      [600_000, /<p> ?84%, charging; last contact <time[^>]+>2 minutes ago</],
      [60_000, /offline<\/span> 84%, charging; last contact <time[^>]+>2 minutes ago</],
    ] as const) {
      await notePhone(context, account, { ...phone, awayAfterMs })
      for (const page of [CARRIERS, own]) expect(await read(page)).to.match(expected)
    }
  })

  it('have nothing to say of the others', async () => {
    const simulator = await getCarrierAccount(context, 'simulator')
    const text = await read(`${CARRIERS}/${simulator.id}`)
    expect(text).to.include('<h1>simulator</h1>').and.not.to.include('Sessions')
  })
})
