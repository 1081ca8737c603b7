import { expect } from 'chai'
import {
  addCarrierAccount,
  getCarrierAccount,
  listAccountOverviews,
} from '../../../src/domain/carriers/carrier-accounts.js'
import { testCarrierAccount } from '../../../src/domain/carriers/accounts/carrier-test.js'
import { viewSessions } from '../../../src/domain/carriers/accounts/sessions.js'
import { holdAccounts } from '../../../src/domain/carriers/held-accounts/holder.js'
import { listUnclearCallbacks } from '../../../src/domain/carriers/unclear-callbacks.js'
import type { Context } from '../../../src/domain/context.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { startModem, type ModemState, type ModemStandIn } from '../../carriers/stand-ins/modem.js'
import { ANNA, messageRow, queueMessage, changeSettings } from '../fixtures.js'
import { receivedTexts } from './smpp/fixtures.js'

const BEN = '+15550001111'

describe('the account of a modem', () => {
  let context: Context
  let modem: ModemStandIn
  let line: TestLine
  let holder: { close(): Promise<void> }

  async function start(
    state: Partial<ModemState> = {},
    settings: Record<string, unknown> = {},
  ): Promise<void> {
    modem = await startModem(state)
    const number = '+15550000001'
    const given = { device: modem.device, number, ...settings }
    await addCarrierAccount(context, { name: 'stick', kind: 'modem', settings: given })
    line = await createLine(context, { carrierAccount: 'stick', number, country: 'US' })
    hold()
  }
  function hold(): void {
    holder = holdAccounts(context, { followMs: 50 })
  }
  const texts = (count: number) =>
    until('they have come', async () => {
      const all = await receivedTexts(context, line.lineId)
      return all.length >= count && all
    })
  const emptied = () => until('the modem is empty', () => modem.storedCount() + modem.waitingCount() === 0)
  const unclear = async () =>
    (await listUnclearCallbacks(context, await getCarrierAccount(context, 'stick'))).map(({ why }) => why)
  const shown = async () => {
    const [account] = (await listAccountOverviews(context)).filter(({ name }) => name === 'stick')
    if (account?.sessions == null) throw new Error('it has sessions')
    return viewSessions(account.sessions)
  }
  async function sent(toNumber = ANNA, text = 'Hello'): Promise<string> {
    const id = await queueMessage(context, line, { to_number: toNumber, text })
    await until('somebody takes it', () => context.accountLanes.put(accountId, [id]))
    return id
  }
  let accountId: string
  const statusOf = (id: string, status: string) =>
    until(`it is ${status}`, async () => (await messageRow(context, id)).status === status)

  beforeEach(async () => {
    context = await createTestContext()
  })
  afterEach(async () => {
    await modem.unplug()
    await holder.close()
    await modem.close()
    await context.close()
  })
  const account = async () => (accountId = (await getCarrierAccount(context, 'stick')).id)

  it('brings texts of every form, oldest first, and deletes them from the SIM card', async () => {
    await start()
    await modem.unplug()
    const at = (second: number) => ({ at: new Date(Date.UTC(2026, 10, 26, 0, 0, second)) })
    modem.bring('Vodafone', 'From a name', at(3))
    modem.bring(BEN, 'Zoë 🙂 {€} "x"\n', at(1))
    modem.bring('4155550123', 'national', at(4))
    modem.bring('12345', 'short code', at(5))
    modem.bring(BEN, `long ${'🙂'.repeat(100)}`, at(6))
    await modem.plug()
    expect(await texts(5)).to.deep.equal([
      ...['Zoë 🙂 {€} "x"\n', 'From a name', 'national', 'short code', `long ${'🙂'.repeat(100)}`],
    ])
    expect(await context.db('messages').orderBy('id').pluck('from_number')).to.deep.equal([
      BEN,
      'Vodafone',
      '+14155550123',
      '12345',
      BEN,
    ])
    await emptied()
    expect(await context.db('events')).to.have.length(5)
  })

  it('puts the parts of a text together, across restarts and in any order', async () => {
    await start()
    const text = 'a'.repeat(130) + 'b'.repeat(130) + 'c'.repeat(40)
    const at = new Date()
    const [, second = '', third = ''] = modem.bring(BEN, text, { at, only: [1] })
    await emptied()
    await holder.close()
    modem.bringPdu(third)
    hold()
    await emptied()
    expect(await receivedTexts(context, line.lineId)).to.deep.equal([])
    modem.bringPdu(second)
    expect(await texts(1)).to.deep.equal([text])
  })

  it('brings a text once, although the network repeats it and the SIM card keeps it', async () => {
    await start({ keepsTexts: true })
    const [pdu = ''] = modem.bring(BEN, 'Once')
    await texts(1)
    await until('it says so', async () => /cannot delete texts/.test((await shown()).lastError?.text ?? ''))
    modem.bringPdu(pdu)
    modem.state.keepsTexts = false
    await emptied()
    expect(await receivedTexts(context, line.lineId)).to.deep.equal(['Once'])
  })

  it('finds texts without being told, also more than the SIM card holds', async () => {
    await start({ indications: undefined, capacity: 3 })
    for (let n = 0; n < 10; n += 1) modem.bring(BEN, `Text ${n}`)
    expect(await texts(10)).to.have.length(10)
    await emptied()
  })

  it('keeps what is not understood for operators, and deletes it', async () => {
    await start()
    modem.bringPdu('FF00')
    modem.bringPdu('0400')
    // A WAP push to port 2948, as MMS announces itself.
    modem.bringPdu('440B915155001011F10004621126001400000C0605040B8423F0DEADBEEF00')
    await until('they are kept', async () => (await unclear()).length === 3)
    expect((await unclear()).join())
      .to.match(/neither a text nor a report/)
      .and.match(/cut off/)
      .and.match(/MMS/)
    await emptied()
    expect(await receivedTexts(context, line.lineId)).to.deep.equal([])
  })

  for (const [what, indications] of [
    ['directly', '(0-2),(0,1),(0,2),(0-2),(0,1)'],
    ['by its memory', '(0-2),(0,1),(0,2),(0,2),(1)'],
  ] as const) {
    it(`knows from status reports what became of texts, which come ${what}`, async () => {
      await start({ indications, reports: 0 })
      await account()
      const delivered = await sent()
      await statusOf(delivered, 'delivered')
      modem.state.reports = undefined
      const failed = await sent(BEN, 'x'.repeat(200))
      await statusOf(failed, 'sent')
      const { reference = 0 } = modem.taken.at(-1) ?? {}
      modem.report(ANNA, reference, 0x46)
      modem.report(BEN, reference, 0x30)
      modem.report(BEN, reference, 0x46)
      await statusOf(failed, 'failed')
      expect(await messageRow(context, failed)).to.include({
        ...{ carrier_code: 'ST-46', carrier_reason: 'expired' },
      })
      expect(await messageRow(context, delivered)).to.include({ status: 'delivered' })
    })
  }

  it('is shown and tested in words, and holds texts back while it is away', async () => {
    await start()
    const stick = await getCarrierAccount(context, 'stick')
    expect(await testCarrierAccount(context, stick)).to.deep.equal({ ok: true })
    expect(await shown()).to.deep.include({ isWhole: true, words: 'connected, Test Mobile, −71 dBm' })
    await account()
    await modem.unplug()
    await until('it is away', async () => !(await shown()).isWhole)
    const tested = await testCarrierAccount(context, stick)
    expect(tested)
      .to.have.property('fault')
      .that.matches(/Check that the modem is plugged in$/)
    const id = await sent()
    await until('it was tried', async () => (await messageRow(context, id)).attempt_count > 0)
    await modem.plug()
    await statusOf(id, 'sent')
    expect(modem.taken).to.have.length(1)
  })

  it('tries a PIN that was refused never again, in no process; the right one is tried', async () => {
    await start({ pin: '1234' }, { pin: '9999' })
    const refused = async () => /has refused the PIN/.test((await shown()).lastError?.text ?? '')
    await until('it is refused', refused)
    await holder.close()
    hold()
    await changeSettings(context, 'stick', { baudRate: 9600 })
    expect(await testCarrierAccount(context, await getCarrierAccount(context, 'stick')))
      .to.have.property('fault')
      .that.matches(/has refused the PIN/)
    expect(modem.commands.filter((each) => each.startsWith('AT+CPIN="'))).to.have.length(1)
    await changeSettings(context, 'stick', { pin: '1234' })
    await until('it is connected', async () => (await shown()).isWhole)
    expect(modem.state.pinTries).to.equal(3)
  })
})
