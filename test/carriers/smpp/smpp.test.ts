import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { textOf } from '../../../dev/smsc/messages.js'
import { SMSC_NUMBERS, startSmsc, type Smsc, type SmscOptions } from '../../../dev/smsc/server.js'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  type CarrierClient,
} from '../../../src/carriers/carrier.js'
import { holdSessions, type Sessions } from '../../../src/carriers/smpp/sessions.js'
import type { SmppSettings } from '../../../src/carriers/smpp/settings.js'
import { createSmpp } from '../../../src/carriers/smpp/smpp.js'
import { failure } from '../../helpers/failure.js'
import { memoryLog } from '../../helpers/process/log.js'
import { until } from '../../helpers/until.js'
import { anyMessage, conformsToCarrier } from '../conformance.js'
import { LOOPBACK, QUICK, settingsOf } from './fixtures.js'

/** With its sessions, as the process has it that holds them. */
function openCarrier(name: string, settings: SmppSettings, timeouts = QUICK) {
  const partsUnderWay = new Set<string>()
  const sessions = holdSessions({
    name,
    settings,
    hosts: LOOPBACK,
    log: memoryLog().log,
    handle: () => Promise.reject(new Error('nothing is brought here')),
    keepUnclear: () => Promise.resolve(),
    confirm: () => Promise.resolve(),
    timeouts,
  })
  const carrier = createSmpp(name, settings, { hosts: LOOPBACK, sessions, partsUnderWay, timeouts })
  return { sessions, partsUnderWay, carrier }
}

/** Its sessions are held nowhere: it can only be tested. */
function toTest({ port }: Pick<Smsc, 'port'>, settings: Record<string, unknown>, timeouts = QUICK) {
  return createSmpp('test', settingsOf({ port }, settings), { hosts: LOOPBACK, timeouts })
}

conformsToCarrier(
  'smpp',
  async () => {
    const smsc = await startSmsc()
    const { carrier: inner, sessions } = openCarrier('smpp', settingsOf(smsc, { windowSize: 10 }))
    // SMPP has no field for our id: the number that a message is from stands for it.
    const sent = new Map<string, { id: string; fromNumber: string }>()
    const carrier: CarrierClient = {
      ...inner,
      send: async (message, signal) => {
        const alias = `+1777${String(sent.size).padStart(7, '0')}`
        sent.set(alias.slice(1), message)
        // The pause is over.
        if (message.toNumber === '+15005550199') await sleep(2 * QUICK.throttledMs)
        return inner.send({ ...message, fromNumber: alias }, signal)
      },
    }
    return {
      carrier,
      taken: () =>
        Promise.resolve(
          smsc.taken.map((each) => ({
            carrierMessageId: each.id,
            messageId: sent.get(each.from)?.id ?? '',
            fromNumber: sent.get(each.from)?.fromNumber ?? '',
            toNumber: `+${each.to}`,
            text: textOf(each),
            mediaUrls: [],
          })),
        ),
      situations: {
        rejected: { toNumber: SMSC_NUMBERS.rejected },
        throttled: { toNumber: SMSC_NUMBERS.throttled },
        throttledNoMore: { toNumber: '+15005550199' },
        unavailable: { toNumber: SMSC_NUMBERS.failing },
        unavailableNoMore: { toNumber: '+15005550199' },
        outcomeUnknown: { toNumber: SMSC_NUMBERS.cut },
        neverAnswers: { toNumber: SMSC_NUMBERS.neverAnswers },
      },
      close: async () => {
        await sessions.close()
        await smsc.close()
      },
    }
  },
  { mostMedia: 0 },
)

describe('smpp', () => {
  const forEver = new AbortController().signal
  let smsc: Smsc
  let carrier: CarrierClient
  let partsUnderWay: ReadonlySet<string>
  let sessions: Sessions

  async function start(
    options: SmscOptions = {},
    settings: Record<string, unknown> = {},
    timeouts = QUICK,
  ): Promise<void> {
    smsc = await startSmsc(options)
    ;({ carrier, sessions, partsUnderWay } = openCarrier('test', settingsOf(smsc, settings), timeouts))
  }
  const waitOf = async (toNumber: string) => {
    const error = await failure(carrier.send(anyMessage({ toNumber }), forEver))
    expect(error).to.be.instanceOf(CarrierThrottled)
    return (error as CarrierThrottled).retryInMs
  }
  const submitCount = () => smsc.seen.filter((each) => each === 'submit_sm').length

  afterEach(async () => {
    await sessions.close()
    await smsc.close()
  })

  it('says in words what is wrong with an account, and nothing when it works', async () => {
    await start({ password: 'right' }, { password: 'right' })
    expect(await carrier.test(forEver)).to.equal(undefined)
    expect(await toTest(smsc, { password: 'wrong' }).test(forEver)).to.equal(
      'connected, but the bind was refused: the password is wrong (ESME_RINVPASWD)',
    )
    await smsc.close()
    expect(await carrier.test(forEver)).to.match(
      /^cannot connect to 127\.0\.0\.1, port \d+: connection refused \(ECONNREFUSED\)$/,
    )
    expect(await carrier.test(AbortSignal.timeout(5))).to.be.a('string')
  })

  it('says that an SMSC does not speak TLS', async () => {
    await start()
    // A generic_nack, as real SMSCs answer what they do not understand.
    const clear = createServer((socket) => {
      socket.on('error', () => undefined).write(Buffer.from('00000010800000000000000300000000', 'hex'))
    })
    await new Promise<void>((resolve) => clear.listen(0, '127.0.0.1', resolve))
    const { port } = clear.address() as AddressInfo
    expect(await toTest({ port }, { tls: true }).test(forEver)).to.equal(
      `cannot connect to 127.0.0.1, port ${port}: it does not speak TLS`,
    )
    clear.close()
  })

  it('says in whole milliseconds that an SMSC does not answer', async () => {
    await start()
    const silent = createServer((socket) => socket.on('error', () => undefined))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const overTls = toTest({ port }, { tls: true }, { ...QUICK, connectMs: 100 })
    expect(await overTls.test(forEver)).to.match(
      /^cannot connect to 127\.0\.0\.1, port \d+: no response in \d+ ms$/,
    )
    silent.close()
  })

  it('has certainly sent nothing when the bind is refused or nobody listens', async () => {
    await start({ password: 'right' }, { password: 'wrong' })
    const refused = await failure(carrier.send(anyMessage(), forEver))
    expect(refused).to.be.instanceOf(CarrierUnavailable)
    expect(refused.message).to.contain('ESME_RINVPASWD')
    await smsc.close()
    expect(await failure(carrier.send(anyMessage(), forEver))).to.be.instanceOf(CarrierUnavailable)
  })

  it('has certainly sent nothing when no host has answered the bind by the time that a text has', async () => {
    await start()
    smsc.hang()
    // Only the text's own time ends its wait.
    const silent = openCarrier('silent', settingsOf(smsc), { ...QUICK, bindMs: 600_000 })
    const error = await failure(silent.carrier.send(anyMessage(), AbortSignal.timeout(50)))
    expect(error).to.be.instanceOf(CarrierUnavailable)
    expect(submitCount()).to.equal(0)
    await silent.sessions.close()
  })

  it('gives the carrier’s code with a refusal', async () => {
    await start()
    const error = await failure(carrier.send(anyMessage({ toNumber: SMSC_NUMBERS.rejected }), forEver))
    expect(error).to.be.instanceOf(CarrierRejected)
    expect(error).to.include({
      carrierCode: 'ESME_RINVDSTADR',
      reason: "the recipient's number is not accepted (ESME_RINVDSTADR)",
    })
  })

  it('never has more than its window without an answer', async () => {
    await start({ delayMs: 5 }, { windowSize: 3, bindCount: 1 })
    await Promise.all(Array.from({ length: 30 }, () => carrier.send(anyMessage(), forEver)))
    expect(smsc.taken).to.have.length(30)
    expect(smsc.maxUnanswered()).to.equal(3)
  })

  it('uses all of its sessions, each as much as its window lets it', async () => {
    await start({ delayMs: 20 }, { windowSize: 1, bindCount: 3 })
    await until('all are bound', () => sessions.state().boundCount === 3)
    const sending = Array.from({ length: 12 }, () => carrier.send(anyMessage(), forEver))
    await until('three are under way', () => submitCount() >= 3)
    await Promise.all(sending)
    expect(smsc.maxUnanswered()).to.equal(1)
  })

  it('has certainly sent nothing where its sessions are not held', async () => {
    await start()
    const elsewhere = createSmpp('elsewhere', settingsOf(smsc), { hosts: LOOPBACK })
    expect(await failure(elsewhere.send(anyMessage(), forEver))).to.be.instanceOf(CarrierUnavailable)
    expect(smsc.taken).to.deep.equal([])
  })

  for (const [what, binds, bindAs] of [
    ['only transceivers', ['bind_transceiver'], 'transceiver'],
    ['only transmitter and receiver', ['bind_receiver', 'bind_transmitter'], 'transmitter-and-receiver'],
  ] as const) {
    it(`sends to an SMSC that takes ${what}, and tests it as it sends`, async () => {
      await start({ binds }, { bindAs })
      await until('it is bound', () => smsc.bound().length === binds.length)
      expect(smsc.bound()).to.deep.equal(binds)
      await carrier.send(anyMessage(), forEver)
      expect(smsc.taken).to.have.length(1)
      smsc.seen.length = 0
      expect(await carrier.test(forEver)).to.equal(undefined)
      expect(smsc.seen.filter((each) => each.startsWith('bind_')).sort()).to.deep.equal(binds)
      await until('the test has let go', () => smsc.bound().length === binds.length)
    })
  }

  it('says which setting helps where no transceivers are taken, and which bind was refused', async () => {
    await start({ binds: ['bind_transmitter'] })
    expect(await carrier.test(forEver)).to.equal(
      'connected, but the bind was refused: refused with ESME_RINVCMDID. If it does not accept transceivers, set bindAs ' +
        'to transmitter-and-receiver',
    )
    expect(await toTest(smsc, { bindAs: 'transmitter-and-receiver' }).test(forEver)).to.equal(
      'bound as transmitter, but not as receiver: connected, but the bind was refused: refused with ESME_RINVCMDID',
    )
  })

  it('does not know what became of messages that were under way when the connection died', async () => {
    await start({ delayMs: 60_000 }, { windowSize: 2 })
    const sending = Array.from({ length: 3 }, () => failure(carrier.send(anyMessage(), forEver)))
    await until('two are there', () => submitCount() === 2)
    smsc.cut()
    const errors = await Promise.all(sending)
    expect(errors.map((error) => error.constructor)).to.deep.equal([
      CarrierOutcomeUnknown,
      CarrierOutcomeUnknown,
      CarrierUnavailable,
    ])
  })

  it('goes on with a later part that was told to wait, and sends no part twice', async () => {
    await start({ refuse: (nth) => (nth % 2 === 0 ? 'ESME_RTHROTTLED' : undefined) })
    const text = 'x'.repeat(153) + 'y'.repeat(153) + 'z'
    const { carrierMessageId, carrierPartIds } = await carrier.send(anyMessage({ text }), forEver)
    expect(smsc.taken.map(textOf).join('')).to.equal(text)
    expect(smsc.taken.map(({ registeredDelivery }) => registeredDelivery)).to.deep.equal([0, 0, 1])
    expect([...(carrierPartIds ?? []), carrierMessageId]).to.deep.equal(smsc.taken.map(({ id }) => id))
  })

  it('submits no more than the pace of its account, however many parts its texts have', async () => {
    await start({})
    const startedAt = performance.now()
    const pace = { limit: 2, lengthMs: 200 }
    const sendThree = () => carrier.send(anyMessage({ text: 'x'.repeat(400), pace }), forEver)
    await Promise.all([sendThree(), sendThree(), sendThree()])
    expect(smsc.taken).to.have.length(9)
    expect(performance.now() - startedAt).to.be.above(4 * 200)
  })

  it('does not know the outcome when a later part cannot go in time', async () => {
    await start({ refuse: (nth) => (nth > 1 ? 'ESME_RMSGQFUL' : undefined) })
    const tooLate = new AbortController()
    const sending = failure(carrier.send(anyMessage({ text: 'x'.repeat(400) }), tooLate.signal))
    await until('it is refused', () => submitCount() > 2)
    expect([...partsUnderWay]).to.deep.equal(smsc.taken.map(({ id }) => id))
    tooLate.abort()
    const error = await sending
    expect(smsc.taken).to.have.length(1)
    expect(error).to.be.instanceOf(CarrierOutcomeUnknown)
    expect(partsUnderWay).to.have.property('size', 0)
    expect((error as CarrierOutcomeUnknown).carrierPartIds).to.deep.equal(smsc.taken.map(({ id }) => id))
  })

  it('begins no text for a while after ESME_RTHROTTLED, and ends those that have begun', async () => {
    const refuse = (nth: number) => (nth === 2 ? 'ESME_RTHROTTLED' : undefined)
    await start({ refuse }, {}, { ...QUICK, throttledMs: 25_000 })
    await carrier.send(anyMessage({ text: 'x'.repeat(400) }), forEver)
    expect(smsc.taken).to.have.length(3)
    expect(await waitOf('+15005550123')).to.be.above(1000)
    expect(submitCount()).to.equal(4)
  })

  it('waits longer each time for a number whose queue is full, and lets others pass', async () => {
    await start({ refuse: (nth) => (nth <= 3 || nth > 5 ? 'ESME_RMSGQFUL' : undefined) })
    const [full, other] = ['+15005550123', '+15005550124']
    expect([await waitOf(full), await waitOf(full), await waitOf(full)]).to.deep.equal([1000, 2000, 4000])
    await carrier.send(anyMessage({ toNumber: other }), forEver)
    await carrier.send(anyMessage({ toNumber: full }), forEver)
    expect(await waitOf(full)).to.equal(1000)
  })

  it('keeps the id as receipts will write it', async () => {
    await start({}, { receiptIds: 'decimal-to-hex' })
    for (let n = 0; n < 10; n += 1) await carrier.send(anyMessage(), forEver)
    const { carrierMessageId } = await carrier.send(anyMessage(), forEver)
    expect(carrierMessageId).to.equal('b')
  })
})
