import { expect } from 'chai'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  type CarrierClient,
} from '../../../src/carriers/carrier.js'
import { failure } from '../../helpers/failure.js'
import { until } from '../../helpers/until.js'
import { anyMessage, conformsToCarrier } from '../conformance.js'
import { startModem, type ModemState, type ModemStandIn } from '../stand-ins/modem.js'
import { holdModem, whenReady, type HeldModem } from './fixtures.js'

const ANNA = '+15005550199'
const BEHAVES: Record<string, ReturnType<ModemState['outcomeOf']>> = {
  '+15005550001': { cms: 1 },
  '+15005550002': { cms: 42 },
  '+15005550003': { cms: 331 },
  '+15005550004': { cms: 500 },
  '+15005550005': { lateMs: 3_600_000 },
}

conformsToCarrier(
  'modem',
  async () => {
    const modem = await startModem({ outcomeOf: (to) => BEHAVES[to] })
    const held = holdModem(modem)
    await whenReady(held)
    // A modem has no field for our id: the number that a message is to stands for it.
    const sent = new Map<string, { id: string; toNumber: string; carrierMessageId?: string }>()
    const carrier: CarrierClient = {
      ...held.carrier,
      send: async (message, signal) => {
        const toNumber =
          message.toNumber in BEHAVES ? message.toNumber : `+1777${String(sent.size).padStart(7, '0')}`
        sent.set(toNumber, message)
        const taken = await sendInTurn(() => held.carrier.send({ ...message, toNumber }, signal))
        sent.set(toNumber, { ...message, ...taken })
        return taken
      },
    }
    return {
      carrier,
      taken: () =>
        Promise.resolve(
          modem.taken.map(({ to, text, reference }) => {
            const { id = '', toNumber = '', carrierMessageId = '' } = sent.get(to) ?? {}
            return {
              carrierMessageId: carrierMessageId.endsWith(`-${reference}`) ? carrierMessageId : 'another',
              ...{ messageId: id, fromNumber: '+15550000001', toNumber, text, mediaUrls: [] },
            }
          }),
        ),
      situations: {
        rejected: { toNumber: '+15005550001' },
        throttled: { toNumber: '+15005550002' },
        throttledNoMore: { toNumber: ANNA },
        unavailable: { toNumber: '+15005550003' },
        unavailableNoMore: { toNumber: ANNA },
        outcomeUnknown: { toNumber: '+15005550004' },
        neverAnswers: { toNumber: '+15005550005' },
      },
      close: async () => {
        await modem.unplug()
        await held.close()
        await modem.close()
      },
    }
  },
  // What is not answered keeps it busy, and the account is tested where it is held.
  { mostMedia: 0, isOneAtATime: true },
)

/** Fifty at once may take longer on a busy machine than one text waits for the modem. */
async function sendInTurn<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof CarrierUnavailable && error.message.includes('busy'))) throw error
    }
  }
}

describe('a modem', () => {
  const forEver = () => new AbortController().signal
  let modem: ModemStandIn
  let held: HeldModem

  async function start(state: Partial<ModemState> = {}, settings: Record<string, unknown> = {}) {
    modem = await startModem(state)
    held = holdModem(modem, settings)
  }
  async function startReady(state: Partial<ModemState> = {}, settings: Record<string, unknown> = {}) {
    await start(state, settings)
    await whenReady(held)
  }
  const faultOf = (words: RegExp) =>
    until(
      () => `${words.source} is said, not ${held.state().fault?.text ?? 'nothing'}`,
      () => words.test(held.state().fault?.text ?? ''),
    )
  const send = (changes: Parameters<typeof anyMessage>[0] = {}, signal = forEver()) =>
    held.carrier.send(anyMessage({ toNumber: ANNA, ...changes }), signal)

  /** @returns the signal of a sender that gives up when the modem has its text, however long that took */
  async function startLate(
    outcome: { lateMs: number; cms?: number },
    isLate: (text: string) => boolean = () => true,
  ): Promise<AbortSignal> {
    const impatient = new AbortController()
    await startReady({
      outcomeOf: (_to, text) => {
        if (!isLate(text)) return undefined
        impatient.abort()
        return outcome
      },
    })
    return impatient.signal
  }

  afterEach(async () => {
    await modem.unplug()
    await held.close()
    await modem.close()
  })

  it('says which network it is in, and how strong its signal is', async () => {
    await startReady()
    expect(held.state()).to.deep.include({ boundCount: 1, sessionCount: 1, details: 'Test Mobile, −71 dBm' })
  })

  it('works at a serial port of the network too', async () => {
    modem = await startModem()
    held = holdModem({ device: modem.networkDevice })
    await whenReady(held)
    await send()
    expect(modem.taken).to.have.length(1)
  })

  it('sends GSM-7 and UCS-2 in as many parts as they need, and asks for a report on the last', async () => {
    await startReady({}, { smsc: '+15550009999' })
    const texts = ['Hello', 'a'.repeat(160), 'b€'.repeat(130), '🙂'.repeat(100), `Zoë ${'ж'.repeat(67)}`]
    for (const text of texts) await send({ text, expiresInMs: 86_400_000 })
    expect(modem.taken.map(({ text }) => text)).to.deep.equal(texts)
    const firstOctets = modem.pdus.map((pdu) => pdu.slice(16, 18))
    expect(modem.pdus.map((pdu) => pdu.slice(0, 16))).to.deep.equal(firstOctets.map(() => '07915155009099F9'))
    // SMS-SUBMIT with a validity; 40 with a header, 20 with a report.
    expect(firstOctets.join(' ')).to.equal('31 31 51 51 71 51 51 51 71 51 71')
  })

  for (const [what, outcome, wanted] of [
    ['the network refuses it', { cms: 21 }, CarrierRejected],
    ['the network is busy', { cms: 42 }, CarrierThrottled],
    ['there is no network', { cms: 331 }, CarrierUnavailable],
    ['there is no prompt for it', { noPrompt: '+CMS ERROR: 331' }, CarrierUnavailable],
    ['there is none for a reason of its own', { noPrompt: '+CMS ERROR: 500' }, CarrierUnavailable],
    ['there is none as it starts', { noPrompt: '+CME ERROR: 515' }, CarrierUnavailable],
    ['there is none, and no reason', { noPrompt: 'ERROR' }, CarrierUnavailable],
    ['there is an OK instead of the prompt', { noPrompt: 'OK' }, CarrierUnavailable],
    ['the network did not answer', { cms: 332 }, CarrierOutcomeUnknown],
    ['the network does not know such a text', { cms: 95 }, CarrierRejected],
    ['the SMS centre passes nothing on to such a service', { cms: 128 }, CarrierRejected],
    ['the SMS centre does not take such a protocol', { cms: 143 }, CarrierRejected],
    ['the SMS centre does not take such a text', { cms: 176 }, CarrierRejected],
    ['the SMS centre does not take such a validity', { cms: 199 }, CarrierRejected],
    ['the modem has a code of its own', { cms: 512 }, CarrierOutcomeUnknown],
    ['the modem gives no reason', { line: 'ERROR' }, CarrierOutcomeUnknown],
  ] as const) {
    it(`knows what became of a text when ${what}`, async () => {
      await startReady({ outcomeOf: () => outcome })
      expect(await failure(send())).to.be.instanceOf(wanted)
    })
  }

  it('sends on while somebody calls its number and hangs up', async () => {
    await startReady({
      outcomeOf: (_to, text) => {
        if (text !== 'one') return undefined
        // While the first is with the network.
        setTimeout(modem.call, 100)
        return { lateMs: 1000 }
      },
    })
    const sending = ['one', 'two'].map(async (text) =>
      held.carrier.send(anyMessage({ toNumber: ANNA, text }), AbortSignal.timeout(15_000)),
    )
    const ids = (await Promise.all(sending)).map(({ carrierMessageId }) => carrierMessageId.split('-')[1])
    expect(modem.taken.map(({ text }) => text)).to.deep.equal(['one', 'two'])
    expect(ids).to.deep.equal(modem.taken.map(({ reference }) => String(reference)))
  })

  it('does not know what became of a text when the stick is pulled out before its answer', async () => {
    await startReady({ outcomeOf: () => 'taken_silently' })
    const sending = failure(send())
    await until('it was taken', () => modem.taken.length === 1)
    await modem.unplug()
    expect(await sending).to.be.instanceOf(CarrierOutcomeUnknown)
    expect(await failure(send()), 'it is known to be away').to.be.instanceOf(CarrierUnavailable)
    await modem.plug()
    await whenReady(held)
    expect(modem.taken).to.have.length(1)
  })

  it('tells afterwards what the modem answered too late, and sends nothing meanwhile', async () => {
    const impatient = await startLate({ lateMs: 1000 })
    const id = '0197a000-0000-7000-8000-000000000001'
    expect(await failure(send({ id }, impatient))).to.be.instanceOf(CarrierOutcomeUnknown)
    await until('it is told', () => held.receipts.length === 1)
    expect(held.receipts[0]).to.deep.include({ status: 'sent', messageId: id })
    expect(held.receipts[0]?.carrierMessageId).to.match(new RegExp(`-${modem.taken[0]?.reference}$`))
    modem.state.outcomeOf = () => undefined
    await send()
    expect(modem.taken).to.have.length(2)
  })

  it('tells afterwards that the modem refused a text too late', async () => {
    const impatient = await startLate({ lateMs: 1000, cms: 21 })
    const id = '0197a000-0000-7000-8000-000000000002'
    expect(await failure(send({ id }, impatient))).to.be.instanceOf(CarrierOutcomeUnknown)
    await until('it is told', () => held.receipts.length === 1)
    expect(held.receipts[0]).to.deep.include({ status: 'failed', messageId: id, carrierCode: 'CMS-21' })
  })

  it('tells afterwards that a text was not sent because another took its time', async () => {
    const [one, two] = ['0197a000-0000-7000-8000-000000000003', '0197a000-0000-7000-8000-000000000004']
    let other: Promise<Error> | undefined
    await startReady({
      outcomeOf: (_to, text) => {
        if (text !== 'one') return undefined
        // While the first is with the network.
        other = failure(send({ id: two, text: 'two' }, AbortSignal.timeout(300)))
        return { lateMs: 1000 }
      },
    })
    await send({ id: one, text: 'one' })
    expect(await other).to.be.instanceOf(CarrierOutcomeUnknown)
    await until('it is told', () => held.receipts.length === 1)
    expect(held.receipts[0]).to.deep.include({ status: 'failed', messageId: two })
    expect(modem.taken.map(({ text }) => text)).to.deep.equal(['one'])
  })

  it('says nothing afterwards about a text of which a part was sent', async () => {
    const impatient = await startLate({ lateMs: 1000, cms: 21 }, (text) => text.includes('b'))
    const id = '0197a000-0000-7000-8000-000000000005'
    const text = 'a'.repeat(153) + 'b'.repeat(20)
    expect(await failure(send({ id, text }, impatient))).to.be.instanceOf(CarrierOutcomeUnknown)
    modem.state.outcomeOf = () => undefined
    await send()
    expect(held.receipts).to.deep.equal([])
  })

  it('sends a text although an announcement comes with its prompt', async () => {
    await startReady({ afterPrompt: '\r\n+CMTI: "SM",0\r\n' })
    await send()
    expect(modem.taken).to.have.length(1)
  })

  it('never sends a part again that may have been sent', async () => {
    await startReady({ outcomeOf: (_to, text) => (text.includes('b') ? { cms: 500 } : undefined) })
    const error = await failure(send({ text: 'a'.repeat(153) + 'b'.repeat(20) }))
    expect(error).to.be.instanceOf(CarrierOutcomeUnknown)
    expect(modem.commands.filter((each) => each.startsWith('AT+CMGS'))).to.have.length(2)
  })

  it('is away while it is unplugged, and is used again when it is back', async () => {
    await startReady()
    await modem.unplug()
    await faultOf(/^the modem was unplugged|^there is no \/.*plugged in$/)
    await until('it is not ready', () => held.state().boundCount === 0)
    modem.bring('+15550001111', 'Meanwhile')
    await modem.plug()
    await whenReady(held)
    await until('the text has come', () => held.texts.length === 1)
  })

  it('is opened anew when it hangs', async () => {
    await startReady({ indications: undefined })
    modem.state.isHung = true
    await faultOf(/^the modem does not answer AT/)
    await modem.unplug()
    await modem.plug()
    await whenReady(held)
  })

  it('is understood although it writes garbage', async () => {
    await startReady({ noise: '\r\n^RSSI:20\r\n\xff\x00~+\r\n+CREG: 1\r\n' })
    modem.bring('+15550001111', 'Hi')
    await send({ text: 'a'.repeat(200) })
    await until('the text has come', () => held.texts.length === 1)
    expect(modem.taken).to.have.length(1)
  })

  it('gets its PIN once; one that the card refuses is never tried again', async () => {
    await startReady({ pin: '1234' }, { pin: '1234' })
    expect(held.tried).to.deep.equal([])
    await modem.unplug()
    await held.close()
    await modem.close()

    await start({ pin: '1234' }, { pin: '9999' })
    await faultOf(/refused the PIN, which is not tried again/)
    const { at } = held.state().fault ?? { at: 0 }
    await until('it was opened again', () => (held.state().fault?.at ?? 0) > at + 2000)
    expect(modem.commands.filter((each) => each.startsWith('AT+CPIN="'))).to.deep.equal(['AT+CPIN="9999"'])
    expect(modem.state.pinTries).to.equal(2)
  })

  it('gives the PIN again to a card that was busy', async () => {
    await start({ pin: '1234', busyPins: 1 }, { pin: '1234' })
    await faultOf(/the SIM card is busy \(CME-14\)/)
    await whenReady(held)
    expect(modem.commands.filter((each) => each.startsWith('AT+CPIN="'))).to.have.length(2)
  })

  for (const [what, state, words] of [
    ['the PIN is wanted', { pin: '1234' }, /asks for its PIN\. Enter it in the settings/],
    ['the PUK is wanted', { pin: '1234', pinTries: 0 }, /is locked and asks for its SIM PUK/],
    ['there is no SIM card', { hasSim: false }, /there is no SIM card in the modem \(CME-10\)/],
    ['it searches for a network', { registration: 2 }, /searching for a network \(−71 dBm\)/],
    ['the network refuses it', { registration: 3 }, /the network refuses the SIM card/],
  ] as const) {
    it(`says when ${what}, and takes no text then`, async () => {
      await start(state)
      await faultOf(words)
      expect(await failure(send())).to.be.instanceOf(CarrierUnavailable)
      expect(modem.taken).to.deep.equal([])
    })
  }

  it('is registered in LTE alone as well', async () => {
    await startReady({ registration: 0, lteRegistration: 5 })
  })

  it('says when there is no such device, or another program has it', async () => {
    await startReady()
    const other = holdModem(modem)
    await until('it is said', () => /in use by another program/.test(other.state().fault?.text ?? ''))
    await other.close()
    const missing = holdModem({ device: '/dev/serial/by-id/usb-none' })
    await until('it is said', () => missing.state().fault !== undefined)
    expect(missing.state().fault?.text).to.match(/there is no \/dev\/serial\/by-id\/usb-none\. Check/)
    await missing.close()
  })

  it('sends only for the line with its own number', async () => {
    await startReady()
    expect(await failure(send({ fromNumber: '+15550000002' }))).to.be.instanceOf(CarrierUnavailable)
    expect(modem.taken).to.deep.equal([])
  })
})
