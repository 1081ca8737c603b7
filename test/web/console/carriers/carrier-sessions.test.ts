import { expect } from 'chai'
import { startSmsc, type Smsc } from '../../../../dev/smsc/server.js'
import { notePhone } from '../../../../src/domain/carriers/accounts/phones.js'
import { addCarrierAccount, getCarrierAccount } from '../../../../src/domain/carriers/carrier-accounts.js'
import { holdAccounts } from '../../../../src/domain/carriers/held-accounts/holder.js'
import { createPerson } from '../../../domain/people/people.js'
import { addSmppAccount } from '../../../domain/carriers/smpp/fixtures.js'
import { startSession } from '../../../helpers/web/sessions.js'
import { until } from '../../../helpers/until.js'
import { describeWeb } from '../../../helpers/web/web.js'

const CARRIERS = '/console/carriers'

describeWeb('the pages of carriers that are reached by sessions', ({ context, web }) => {
  let smsc: Smsc
  let cookie: string
  let path: string
  const leaving = new AbortController()

  before(async () => {
    smsc = await startSmsc()
    const operator = await createPerson(context, { role: 'operator' })
    cookie = `__Host-linehook=${await startSession(context, operator.id)}`
    path = `${CARRIERS}/${(await addSmppAccount(context, 'smsc', { port: smsc.port })).id}`
  })
  after(async () => {
    leaving.abort()
    await smsc.close()
  })

  async function read(of: string): Promise<string> {
    return (await fetch(web.url + of, { headers: { Cookie: cookie } })).text()
  }

  /** What the last event of a stream shows. */
  async function listen(of: string): Promise<() => string> {
    const { body } = await fetch(web.url + of, { headers: { Cookie: cookie }, signal: leaving.signal })
    let text = ''
    const decoder = new TextDecoder()
    void (async () => {
      for await (const chunk of body ?? []) text += decoder.decode(chunk)
    })().catch(() => undefined)
    return () => text.split('\n\n').findLast((each) => each.startsWith('data: ')) ?? ''
  }

  it('show live whether each account is bound, since when, and what went wrong last', async () => {
    const notHeld = 'not bound, because no receive-smpp process is running'
    for (const page of [CARRIERS, path]) {
      const text = await read(page)
      expect(text).to.include(notHeld).and.to.include(`data-live="${page}/live"`)
    }
    const shown = await Promise.all([`${CARRIERS}/live`, `${path}/live`].map(listen))
    const both = (what: string, expected: RegExp) =>
      until(what, () => shown.every((last) => expected.test(last())))
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
  })

  it('show how the phone is, where one sends', async () => {
    const settings = { username: 'sms', password: 'p', signingKey: 'k' }
    const account = await addCarrierAccount(context, { name: 'phone', kind: 'smsgate', settings })
    const own = `${CARRIERS}/${account.id}`
    expect(await read(own))
      .to.include('>Phone</h2>')
      .and.to.include('no contact with the phone yet')
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
