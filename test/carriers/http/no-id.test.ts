import { expect } from 'chai'
import { addCarrierAccount, getCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { changeCarrierAccount } from '../../../src/domain/carriers/accounts/change.js'
import { openSettings } from '../../../src/domain/carriers/carrier-settings.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { messageRow, queueMessage, UNLIMITED, changeSettings } from '../../domain/fixtures.js'
import { createPerson } from '../../domain/people/people.js'
import { createLine } from '../../helpers/factories.js'
import { browse } from '../../helpers/web/browser-session.js'
import { describeWeb } from '../../helpers/web/web.js'
import { settingsFor, startStandIn, type StandIn } from './stand-in.js'

const NEW = '/console/carriers/new'
const TO = '+15005550177'

const environment = { ALLOWED_CARRIER_CIDRS: '127.0.0.1/32' }

describeWeb('an HTTP carrier that gives messages no ID', { environment }, ({ context, web }) => {
  let standIn: StandIn

  before(async () => {
    standIn = await startStandIn()
    standIn.behave(TO, (response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end('OK'))
  })
  after(() => standIn.close())

  const add = (name: string, others: object) =>
    addCarrierAccount(context, { name, kind: 'http', settings: settingsFor(standIn.url, { ...others }) })

  const idFieldOf = async (name: string) => {
    const { id } = await getCarrierAccount(context, name)
    return ((await openSettings(context, id)) as { idField: string }).idField
  }

  /** What the account's message is in the end, and whether it has our own ID at the carrier. */
  async function send(carrierAccount: string) {
    const line = await createLine(context, { carrierAccount, ...UNLIMITED })
    const id = await queueMessage(context, line, { to_number: TO })
    await sendMessage(context, id)
    const { status, carrier_message_id } = await messageRow(context, id)
    return { status, isOurs: carrier_message_id === id }
  }
  const sentWithOurs = { status: 'sent', isOurs: true }

  it('has an empty idField when it is added so', async () => {
    await add('added', { idField: '' })
    expect(await send('added')).to.deep.equal(sentWithOurs)
  })

  it('has the default when nothing is said', async () => {
    await add('silent', { idField: undefined })
    expect(await idFieldOf('silent')).to.equal('id')
    expect(await send('silent')).to.include({ status: 'unknown' })
  })

  for (const [what, change] of [
    ['emptied', { settings: { idField: '' } }],
    ['unset', { unset: ['idField'] }],
  ] as const) {
    it(`may be ${what} later, and stays so when something else changes`, async () => {
      await changeCarrierAccount(context, await add(what, {}), change)
      expect(await send(what)).to.deep.equal(sentWithOurs)
      await changeSettings(context, what, { numbers: 'plain' })
      expect(await idFieldOf(what)).to.equal('')
    })
  }

  it('may be added and changed in the console', async () => {
    const { id: userId } = await createPerson(context, { role: 'operator' })
    const browser = await browse(context, web, userId)
    expect((await browser.get(`${NEW}?kind=http`)).text).to.match(/name="setting-idField" value="id"/)

    const { url, headers } = settingsFor(standIn.url) as Record<'url' | 'headers', string>
    const fields = { 'setting-url': url, 'secret-headers': headers, 'setting-idField': '' }
    const added = await browser.submit(NEW, { kind: 'http', name: 'by-form', ...fields })
    expect(added.status).to.equal(303)
    expect(await send('by-form')).to.deep.equal(sentWithOurs)

    const path = `/console/carriers/${(await getCarrierAccount(context, 'by-form')).id}`
    expect((await browser.get(path)).text).to.match(/<th scope="row">ID field<\/th><td><span[^>]*>Empty</)
    expect((await browser.get(`${path}?show=settings`)).text).to.match(/name="setting-idField" value(="")? /)

    await browser.submit(`${path}/settings`, { ...fields, 'setting-idField': 'data.id' })
    expect(await idFieldOf('by-form')).to.equal('data.id')
    await browser.submit(`${path}/settings`, fields)
    expect(await idFieldOf('by-form')).to.equal('')
  })
})
