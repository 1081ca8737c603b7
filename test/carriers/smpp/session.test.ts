import { expect } from 'chai'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { startSmsc, type Smsc, type SmscOptions } from '../../../dev/smsc/server.js'
import { NotBound } from '../../../src/carriers/smpp/connect.js'
import { createIntake, type Handled } from '../../../src/carriers/smpp/intake.js'
import { createLink } from '../../../src/carriers/smpp/link.js'
import { NoAnswer } from '../../../src/carriers/smpp/requests.js'
import { encodePdu } from '../../../src/carriers/smpp/pdu.js'
import { smpp } from '../../../src/carriers/smpp/package.js'
import { openSession, type Session } from '../../../src/carriers/smpp/session.js'
import { failure } from '../../helpers/failure.js'
import { memoryLog } from '../../helpers/process/log.js'
import { SELF_MADE } from '../../helpers/services/self-made.js'
import { startFullListener } from '../../helpers/web/full-listener.js'
import { until } from '../../helpers/until.js'
import { LOOPBACK, QUICK, settingsOf } from './fixtures.js'
import { pdu, startRawSmsc, type RawSmsc } from './raw-smsc.js'

const forEver = new AbortController().signal

describe('an SMPP session', () => {
  let smsc: Smsc
  const opened: Session[] = []

  async function start(options: SmscOptions = {}): Promise<void> {
    smsc = await startSmsc(options)
  }

  const expectNoAnswer = (error: unknown, { wasWritten }: { wasWritten: boolean }) =>
    expect(error).to.be.instanceOf(NoAnswer).with.property('wasWritten', wasWritten)

  async function open(overrides: Record<string, unknown> = {}, timeouts = QUICK): Promise<Session> {
    const settings = { ...settingsOf(smsc), ...overrides }
    const session = await openSession({ settings, hosts: LOOPBACK, bindAs: 'transmitter', timeouts })
    opened.push(session)
    return session
  }

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((session) => session.close()))
    await smsc.close()
  })

  it('unbinds when it is closed', async () => {
    await start()
    const session = await open()
    await session.close()
    expect(smsc.seen).to.deep.equal(['bind_transmitter', 'unbind'])
    expect(session.isOpen()).to.equal(false)
    await until('the SMSC has no connection', () => smsc.sessions().length === 0)
  })

  it('is opened at the next address of the SMSC, within the time of one connection, if the first does not answer', async () => {
    await start()
    const addresses = ['127.0.0.2', '127.0.0.1'].map((address) => ({ address, family: 4 }))
    const silent = await startFullListener({ host: '127.0.0.2', port: smsc.port })
    try {
      // With the times that sessions have in use.
      const hosts = { resolve: () => Promise.resolve(addresses) }
      opened.push(
        await openSession({
          settings: settingsOf(smsc, { host: 'smsc.example' }),
          hosts,
          bindAs: 'transmitter',
        }),
      )
      expect(smsc.seen).to.deep.equal(['bind_transmitter'])
    } finally {
      await silent.close()
    }
  })

  it('is read no further while 200 deliveries have no answer', async () => {
    await start()
    const session = await open()
    let isPaused = false
    let go: (handled: Handled) => void = () => undefined
    const held = new Promise<Handled>((resolve) => (go = resolve))
    const intake = createIntake({
      session: {
        ...session,
        pause: () => (isPaused = true),
        resume: () => (isPaused = false),
      },
      log: memoryLog().log,
      handle: () => held,
      keepUnclear: () => Promise.resolve(),
      confirm: () => Promise.resolve(),
    })
    const take = (sequence: number) => {
      const bytes = encodePdu('deliver_sm', { sequence_number: sequence, short_message: String(sequence) })
      intake.take(new smpp.PDU(bytes), bytes.subarray(16))
    }
    for (let sequence = 1; sequence < 200; sequence += 1) take(sequence)
    expect(isPaused).to.equal(false)
    take(200)
    expect(isPaused).to.equal(true)
    go({ status: 'ESME_ROK' })
    await intake.drain()
    expect(isPaused).to.equal(false)
  })

  it('asks whether the SMSC is there, and ends when it says nothing more', async () => {
    await start()
    const session = await open({ enquireLinkSeconds: 0.02 }, { ...QUICK, enquireMs: 3000 })
    await until('it asks', () => smsc.seen.includes('enquire_link'))
    expect(session.isOpen()).to.equal(true)
    smsc.hang()
    const waiting = failure(session.request('submit_sm', {}, forEver))
    expect((await session.ended).message).to.equal('no response to enquire_link in 3000 ms')
    expectNoAnswer(await waiting, { wasWritten: true })
  })

  it('ends each request when the connection dies, and says whether it had been written', async () => {
    await start({ delayMs: 60_000 })
    const session = await open({ windowSize: 1 })
    const [written, waiting] = [1, 2].map(() => failure(session.request('submit_sm', {}, forEver)))
    await until('one is there', () => smsc.seen.includes('submit_sm'))
    smsc.cut()
    expectNoAnswer(await written, { wasWritten: true })
    expectNoAnswer(await waiting, { wasWritten: false })
    const later = await failure(session.request('submit_sm', {}, forEver))
    expectNoAnswer(later, { wasWritten: false })
  })

  it('lets no request wait for ever for its response, nor for its place', async () => {
    await start({ delayMs: 60_000 })
    const session = await open({ windowSize: 1 }, { ...QUICK, responseMs: 100, windowMs: 20 })
    const [written, waiting] = [1, 2].map(() => failure(session.request('submit_sm', {}, forEver)))
    expectNoAnswer(await waiting, { wasWritten: false })
    expectNoAnswer(await written, { wasWritten: true })
  })

  it('keeps the place of a request whose caller went away until it is answered', async () => {
    // Longer than between two looks whether it is there.
    await start({ delayMs: 500 })
    const session = await open({ windowSize: 1 })
    const impatient = new AbortController()
    const first = failure(session.request('submit_sm', {}, impatient.signal))
    await until('it is there', () => smsc.seen.includes('submit_sm'))
    impatient.abort()
    expectNoAnswer(await first, { wasWritten: true })
    await session.request('submit_sm', {}, forEver)
    expect(smsc.maxUnanswered()).to.equal(1)
  })

  it('writes nothing that has waited too long, also when the place comes before the timer: a stopped process wakes', async () => {
    const socket = new PassThrough()
    const written: Buffer[] = []
    const link = createLink(
      Object.assign(socket, { write: (bytes: Buffer) => written.push(bytes) }) as unknown as Socket,
      {
        windowSize: 1,
        windowMs: 500,
        responseMs: 5000,
        onRequest: () => undefined,
        onUnreadable: () => undefined,
      },
    )
    const taken = link.request('submit_sm', {}, forEver)
    const waiting = failure(link.request('submit_sm', {}, forEver))
    await until('the first is written', () => written.length === 1)
    stopFor(1600)
    socket.emit('data', encodePdu('submit_sm_resp', { sequence_number: 1, message_id: '1' }))
    await taken
    expectNoAnswer(await waiting, { wasWritten: false })
    expect(written).to.have.length(1)
    link.end(new Error('over'))
    await start()
  })

  it('speaks TLS, and trusts a self-made certificate only when it is told to', async () => {
    await start({ tls: SELF_MADE })
    const session = await open({ tls: true, host: 'localhost', tlsCertificate: SELF_MADE.cert })
    expect(session.isOpen()).to.equal(true)
    const error = await failure(open({ tls: true, host: 'localhost' }))
    expect(error).to.be.instanceOf(NotBound)
    expect(error.message).to.contain('self-signed certificate')
    expect(await failure(open())).to.be.instanceOf(NotBound)
  })

  it('ends with what is no SMPP, and with a PDU that is larger than any', async () => {
    await start()
    for (const hex of ['7fffffff', '00000004', '485454502f312e31']) {
      const { port, server, sockets } = await serveBytes(Buffer.from(hex, 'hex'))
      const error = await failure(open({ port }))
      expect(error).to.be.instanceOf(NotBound)
      expect(error.message).to.contain('a PDU of')
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it('says so when nobody answers the bind', async () => {
    await start()
    smsc.hang()
    const error = await failure(open({}, { ...QUICK, bindMs: 50 }))
    expect(error.message).to.equal(
      'connected, but the bind was not answered: no response to bind_transmitter in 50 ms',
    )
  })

  it('answers what it cannot read or does not know with a generic_nack, and goes on', async () => {
    await start()
    const session = await open()
    const [peer] = smsc.sessions()
    // deliver_sm with a TLV that is longer than the PDU; then an id that nobody has.
    peer?.socket.write(Buffer.from('00000012000000050000000000000007ffff', 'hex'))
    peer?.socket.write(Buffer.from('00000010000007770000000000000008', 'hex'))
    await until('both are answered', () => smsc.seen.filter((each) => each === 'generic_nack').length === 2)
    expect(session.isOpen()).to.equal(true)
  })
})

/** Nothing happens in this process meanwhile. */
function stopFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** A server that says one thing to everybody. */
async function serveBytes(bytes: Buffer) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.write(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, server, sockets }
}

const UNBIND = pdu('00000006', 1, '')

describe('a session that the SMSC unbinds', () => {
  let raw: RawSmsc
  let session: Session
  let requests: Promise<unknown>[]

  beforeEach(async () => {
    raw = await startRawSmsc()
    const settings = { ...settingsOf(raw), windowSize: 2 }
    session = await openSession({ settings, hosts: LOOPBACK, bindAs: 'transceiver', timeouts: QUICK })
    requests = [1, 2, 3].map((n) =>
      session
        .request(
          'submit_sm',
          { destination_addr: '15005550199', short_message: `text ${n}` },
          new AbortController().signal,
        )
        .catch((error: unknown) => error),
    )
    await until('the window is full', () => raw.received.length === 2)
    raw.write(UNBIND)
    await until('nothing more goes by it', () => !session.isOpen())
  })

  afterEach(async () => {
    await session.close()
    await raw.close()
  })

  it('gets the answers that are still coming before it ends, and sends nothing more', async () => {
    for (const each of raw.received)
      raw.write(pdu('80000004', parseInt(each.slice(24, 32), 16), Buffer.from('id\0')))
    const [first, second, third] = await Promise.all(requests)
    for (const answered of [first, second])
      expect(answered).to.include({ command_status: 0, message_id: 'id' })
    expect(third).to.include({ wasWritten: false })
    expect((await session.ended).message).to.equal('the SMSC has unbound')
    await until('the unbind is answered', () => raw.received.length === 3)
    expect(raw.received[2]?.slice(8, 16)).to.equal('80000006')
  })

  it('ends all the same if none comes', async () => {
    const [first, , third] = await Promise.all(requests)
    expect(first).to.include({ wasWritten: true, message: 'the SMSC has unbound' })
    expect(third).to.include({ wasWritten: false })
  })
})
