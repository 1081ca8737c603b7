import { expect } from 'chai'
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../../dev/services/free-port.js'
import { inboundOf } from '../../../dev/smsc/messages.js'
import { startSmsc } from '../../../dev/smsc/server.js'
import type { SmppDelivery } from '../../../src/carriers/smpp/intake.js'
import { encodePdu } from '../../../src/carriers/smpp/pdu.js'
import { holdSessions, type Sessions } from '../../../src/carriers/smpp/sessions.js'
import type { Timeouts } from '../../../src/carriers/smpp/session.js'
import { smppSettings } from '../../../src/carriers/smpp/settings.js'
import { failure } from '../../helpers/failure.js'
import { memoryLog } from '../../helpers/process/log.js'
import { SELF_MADE } from '../../helpers/services/self-made.js'
import { until } from '../../helpers/until.js'
import { LOOPBACK, QUICK } from './fixtures.js'
import { connectSmsc, OUTBIND, type OutbindSmsc } from './outbind-smsc.js'

const forEver = new AbortController().signal
const TEXT = { source_addr: '15005550101', destination_addr: '15550000001', short_message: Buffer.from('Hi') }
const OVER_TLS = { tls: true, outbindCertificate: SELF_MADE.cert, outbindKey: SELF_MADE.key }

describe('an SMSC that connects to us and says outbind', () => {
  let port: number
  let sessions: Sessions
  let lines: Record<string, unknown>[]
  const delivered: SmppDelivery[] = []
  const peers: OutbindSmsc[] = []
  const sockets: Socket[] = []

  beforeEach(async () => {
    port = await freePort()
    delivered.length = 0
  })
  afterEach(async () => {
    await sessions.close()
    for (const peer of peers.splice(0)) peer.close()
    for (const socket of sockets.splice(0)) socket.destroy()
  })

  /** Resolves when it listens, or `isReady`. */
  async function hold(
    overrides: Record<string, unknown> = {},
    {
      isReady = () => lines.some(({ msg }) => msg === 'smpp.listening'),
      ...timeouts
    }: Partial<Timeouts> & { isReady?: () => boolean } = {},
  ): Promise<void> {
    const memory = memoryLog()
    lines = memory.lines
    sessions = holdSessions({
      name: 'smsc',
      settings: smppSettings.cast({
        ...{ host: '127.0.0.1', systemId: 'linehook', password: 'ours', outbindPort: port },
        ...{ outbindFrom: '192.0.2.0/24\n127.0.0.1', outbindPassword: OUTBIND.password, ...overrides },
      }),
      hosts: LOOPBACK,
      log: memory.log,
      handle: (delivery) => {
        delivered.push(delivery)
        return Promise.resolve({ status: 'ESME_ROK' })
      },
      keepUnclear: () => Promise.resolve(),
      confirm: () => Promise.resolve(),
      timeouts: { ...QUICK, ...timeouts },
    })
    await until('it listens', isReady)
  }

  function join(options: Parameters<typeof connectSmsc>[1] = {}): OutbindSmsc {
    const peer = connectSmsc(port, options)
    peers.push(peer)
    return peer
  }

  /** A peer that is bytes only. */
  function knock(bytes: Buffer = Buffer.alloc(0)): Socket & { heard: Buffer[] } {
    const socket = Object.assign(connect(port, '127.0.0.1'), { heard: [] as Buffer[] })
    sockets.push(socket)
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => socket.heard.push(chunk))
    if (bytes.length > 0) socket.write(bytes)
    return socket
  }
  const isBound = (peer: OutbindSmsc) =>
    until(
      'it is bound',
      () => peer.commands().some((each) => each.startsWith('bind_')) && sessions.state().boundCount > 0,
    )
  const faultNow = () => sessions.state().fault?.text

  for (const tls of [false, true]) {
    it(`is bound to as transceiver, both ways, as often as it comes${tls ? ', over TLS' : ''}`, async () => {
      await hold(tls ? OVER_TLS : {})
      expect(sessions.state()).to.include({ boundCount: 0, sessionCount: 1 })
      for (let n = 0; n < 2; n += 1) {
        const peer = join({ tls })
        peer.outbind()
        await isBound(peer)
        expect(peer.heard[0]).to.include({
          command: 'bind_transceiver',
          system_id: 'linehook',
          password: 'ours',
        })
        expect(sessions.state()).to.include({ boundCount: 1, sessionCount: 1 })

        peer.send('deliver_sm', inboundOf('+15005550101', '+15550000001', `text ${n}`))
        await until('its text is answered', () => peer.commands().includes('deliver_sm_resp'))
        expect(delivered[n]?.pdu.short_message).to.deep.equal(Buffer.from(`text ${n}`))
        const response = await sessions.request('submit_sm', TEXT, forEver)
        expect(response).to.include({ command_status: 0, message_id: 'taken' })

        peer.close()
        await until('it is gone', () => sessions.state().boundCount === 0)
      }
      const last = join({ tls })
      last.outbind()
      await isBound(last)
      await sessions.close()
      await until('it hears of the end', () => last.commands().includes('unbind') && last.isClosed())
      expect((await failure(sessions.request('submit_sm', TEXT, forEver))).name).to.equal('NotBound')
    })
  }

  it('is bound to as receiver where there are two sessions, and we connect for sending', async () => {
    const smsc = await startSmsc()
    await hold({ port: smsc.port, bindAs: 'transmitter-and-receiver' })
    await until(
      'it may send',
      () => smsc.bound().join() === 'bind_transmitter' && sessions.state().boundCount === 1,
    )
    // That it has nothing to bring is no fault.
    expect(sessions.state()).to.include({ boundCount: 1, sessionCount: 1 })
    const peer = join()
    peer.outbind()
    await until('both are bound', () => sessions.state().boundCount === 2)
    expect(peer.commands()[0]).to.equal('bind_receiver')
    await sessions.request('submit_sm', TEXT, forEver)
    expect([smsc.taken.length, peer.commands().includes('submit_sm')]).to.deep.equal([1, false])
    await sessions.close()
    await smsc.close()
  })

  const delivery = encodePdu('deliver_sm', {
    ...inboundOf('+15005550101', '+15550000001', 'Hi'),
    sequence_number: 2,
  })
  const outbind = (changes = {}) => encodePdu('outbind', { ...OUTBIND, ...changes })
  for (const [what, bytes, fault] of [
    ['another password', outbind({ password: 'guessed' }), 'the password in its outbind'],
    ['no password', outbind({ password: '' }), 'the password in its outbind'],
    ['another name', outbind({ system_id: 'other' }), 'the system ID in its outbind'],
    ['a bind of its own', encodePdu('bind_transceiver', OUTBIND), 'it did not start with outbind'],
    ['a text', delivery, 'it did not start with outbind'],
    ['no SMPP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'a PDU of'],
  ] as const) {
    it(`with ${what} is closed, and what comes behind it is not taken`, async () => {
      await hold({ outbindSystemId: 'smsc' })
      const socket = knock(Buffer.concat([bytes, delivery, outbind(), delivery]))
      await until('it is closed', () => socket.destroyed)
      expect(faultNow()).to.match(new RegExp(`^the SMSC has connected, but .*${fault}`))
      expect([delivered.length, socket.heard.length]).to.deep.equal([0, 0])
      const logged = JSON.stringify(lines)
      expect(logged).to.include('smpp.not_bound')
      for (const secret of ['guessed', OUTBIND.password, 'ours']) expect(logged).not.to.include(`"${secret}`)
      // Who says it right is let in all the same.
      const peer = join()
      peer.outbind()
      await isBound(peer)
    })
  }

  it('that says nothing, or says it by the byte, is closed when its time is over', async () => {
    await hold({}, { outbindMs: 150 })
    const [silent, slow] = [knock(), knock()]
    const slowly = outbind()
    let sent = 0
    const trickle = setInterval(() => {
      if (sent < slowly.length - 1) slow.write(slowly.subarray(sent, (sent += 1)))
    }, 20)
    await until('both are closed', () => silent.destroyed && slow.destroyed)
    clearInterval(trickle)
    expect(faultNow()).to.equal('the SMSC has connected, but it sent nothing for 150 ms')
    expect(sessions.state().boundCount).to.equal(0)
  })

  it('that never begins with TLS is closed too', async () => {
    await hold(OVER_TLS, { outbindMs: 150 })
    const [silent, plain] = [knock(), knock(outbind())]
    await until('both are closed', () => silent.destroyed && plain.destroyed)
    expect(sessions.state().boundCount).to.equal(0)
  })

  it('that does not answer the bind, or refuses it, is closed', async () => {
    await hold({}, { bindMs: 2000 })
    const hanging = knock(outbind())
    await until('it is closed', () => hanging.destroyed)
    expect(faultNow()).to.match(/^connected, but the bind was not answered/)
    const refusing = join({ answer: () => ({ command_status: 0x0e }) })
    refusing.outbind()
    await until('it is closed', () => refusing.isClosed())
    expect(faultNow()).to.match(/the password is wrong/)
  })

  it('from another address is cut off unheard, and logged once', async () => {
    await hold({ outbindFrom: '192.0.2.7\n2001:db8::/32' })
    for (let n = 0; n < 3; n += 1) {
      const socket = knock(Buffer.concat([outbind(), delivery]))
      await until('it is closed', () => socket.destroyed)
    }
    expect(delivered).to.deep.equal([])
    expect(lines.filter(({ msg }) => msg === 'smpp.outbind_address_refused')).to.have.length(1)
  })

  it('has as many sessions as bindCount says, and ten connections beside them', async () => {
    await hold({ bindCount: 2 })
    const bound = [join(), join()]
    for (const peer of bound) peer.outbind()
    await until('two are bound', () => sessions.state().boundCount === 2)
    const third = join()
    third.outbind()
    await until('the third is closed', () => third.isClosed())
    expect(faultNow()).to.match(/it already has 2 sessions \(bindCount\)$/)

    const silent = Array.from({ length: 13 }, () => knock())
    await until('those beyond ten are closed', () => silent.filter(({ destroyed }) => destroyed).length >= 3)
    expect(silent.filter(({ destroyed }) => destroyed)).to.have.length(3)
    bound[0]?.close()
    await until('one place is free', () => sessions.state().boundCount === 1)
    for (const socket of silent) socket.destroy()
    const fourth = join()
    await until('it is let in', () => !fourth.isClosed() && fourth.session.socket.readyState === 'open')
    fourth.outbind()
    await until('it is bound', () => sessions.state().boundCount === 2)
  })

  it('waits until the port is free, and the account says why', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(port, resolve))
    await hold({}, { isReady: () => lines.some(({ msg }) => msg === 'smpp.not_bound') })
    expect(faultNow()).to.match(new RegExp(`^cannot listen on port ${port}: .*EADDRINUSE`))
    await new Promise((resolve) => other.close(resolve))
    await until('it listens', () => lines.some(({ msg }) => msg === 'smpp.listening'))
    const peer = join()
    peer.outbind()
    await isBound(peer)
  })

  it('is set up with its addresses and a password, and with a certificate where there is TLS', async () => {
    await hold()
    const base = { host: 'smsc.example.com', systemId: 'x', outbindPort: 2776 }
    const all = { ...base, outbindFrom: '203.0.113.7', outbindPassword: 'p' }
    const faultOf = (settings: object) =>
      smppSettings.validate(settings).then(
        () => undefined,
        (error: Error) => error.message,
      )
    for (const right of [all, { ...all, ...OVER_TLS }, { ...base, outbindPort: 0 }])
      expect(await faultOf(right)).to.equal(undefined)
    for (const [wrong, fault] of [
      [{ outbindFrom: '' }, /^outbindFrom must be set/],
      [{ outbindPassword: '' }, /^outbindPassword must be set/],
      [{ outbindFrom: 'smsc.example.com' }, /^outbindFrom: smsc/],
      [{ ...OVER_TLS, outbindCertificate: '' }, /^outbindCertificate must be set/],
      [{ ...OVER_TLS, outbindKey: '' }, /^outbindKey must be set/],
    ] as const)
      expect(await faultOf({ ...all, ...wrong })).to.match(fault)
    const [firstLine = ''] = SELF_MADE.cert.split('\n')
    for (const key of ['tlsCertificate', 'outbindCertificate', 'outbindKey']) {
      const words = new RegExp(`^${key} must be a whole (certificate|private key) in PEM`)
      expect(await faultOf({ ...all, ...OVER_TLS, [key]: firstLine })).to.match(words)
    }
  })
})
