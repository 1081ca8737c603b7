import { expect } from 'chai'
import smpp, { type Pdu, type Session } from 'smpp'
import { addCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import { countSegments } from '../../src/kit/text/segments.js'
import { queueMessage } from '../domain/fixtures.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { until } from '../helpers/until.js'
import { pdu, startRawSmsc } from '../carriers/smpp/raw-smsc.js'
import { describeInstallation } from './support/installation.js'
import { numbers, outboundMessages, WIDE } from './support/steps.js'

const hex = (text: string) => Buffer.from(text, 'latin1').toString('hex')
const LONG = 'A text that is longer than one segment of 160 characters, and so goes in the payload. '.repeat(
  3,
)

const SETUP = { processes: [], workers: ['receive-smpp', 'send-message', 'deliver-event'] } as const

/** What runs is what was built: receive-smpp and deliver-event, each as a process. */
describeInstallation('journey: message_payload and national tables', SETUP, ({ context, receiver }) => {
  async function lineAt(port: number, name: string, settings: object = {}, pace: object = {}) {
    const account = { host: '127.0.0.1', port, systemId: 'linehook', ...settings }
    await addCarrierAccount(context, { name, kind: 'smpp', settings: account, ...pace })
    return createLine(context, { carrierAccount: name, outgoingUrl: receiver.url, ...WIDE })
  }

  /** @returns the number that it went to */
  async function send(line: TestLine, text: string): Promise<string> {
    const [to_number = ''] = numbers(1)
    await sendAll(line, [{ to_number, text }])
    return to_number
  }

  async function sendAll(line: TestLine, texts: readonly { to_number: string; text: string }[]) {
    const ids = await Promise.all(texts.map((text) => queueMessage(context, line, text)))
    await context.queues.enqueueMessages(ids.map((id) => ({ id, generation: 0 })))
    await until('they are sent', async () =>
      (await outboundMessages(context, line)).every(({ status }) => status === 'sent'),
    )
  }

  const payloads = () =>
    receiver.requests.map(({ body }) => (JSON.parse(body) as { payload: string }).payload)

  it('arrives at the endpoint when an SMSC delivers it byte by byte in deliver_sm and data_sm', async () => {
    const smsc = await startRawSmsc()
    const line = await lineAt(smsc.port, 'raw')
    const [from = ''] = numbers(1)
    const addresses = `00 01 01 ${hex(from.slice(1))}00 01 01 ${hex(line.number.slice(1))}00`
    const tlv = (text: string) => `0424 ${text.length.toString(16).padStart(4, '0')} ${hex(text)}`
    const deliverSm = `${addresses} 00 00 00 00 00 00 00 00 00 00 ${tlv(`1 ${LONG}`)}`
    const dataSm = `${addresses} 00 00 00 ${tlv(`2 ${LONG}`)}`
    await until('it is bound', () => smsc.bindCount() > 0)
    smsc.write(pdu('00000005', 1, deliverSm))
    smsc.write(pdu('00000103', 2, dataSm))
    const answers = () => smsc.received.filter((each) => each.startsWith('00000011'))
    await until('both are answered', () => answers().length === 2)
    expect(answers()).to.have.members([
      '000000118000000500000000 00000001 00'.replaceAll(' ', ''),
      '000000118000010300000000 00000002 00'.replaceAll(' ', ''),
    ])
    await until('both events arrive', () => payloads().length === 2)
    expect(payloads()).to.have.members([`1 ${LONG}`, `2 ${LONG}`])
    await smsc.close()
  })

  it('carries a long text to a third-party server if the account is set to use it', async () => {
    const { port, taken, close } = await startServer()
    const line = await lineAt(port, 'payload', { longMessages: 'payload' })
    const to_number = await send(line, LONG)
    expect(taken).to.have.length(1)
    expect(taken[0]).to.include({ destination_addr: to_number.slice(1) })
    expect(String(taken[0]?.message_payload)).to.equal(LONG)
    close()
  })

  it('comes part by part at the pace of the account, which counts submit_sm', async () => {
    const { port, taken, takenAt, close } = await startServer()
    const line = await lineAt(port, 'paced', {}, { messagesPerSecond: 10 })
    const texts = numbers(20).map((to_number, n) => ({ to_number, text: n % 2 === 0 ? LONG : 'Short' }))
    // A busy machine may read what came first late, but nothing came before this.
    const beginsAt = performance.now()
    await sendAll(line, texts)
    const count = texts.reduce((sum, { text }) => sum + countSegments(text), 0)
    expect(taken).to.have.length(count)
    expect(takenAt.at(-1)! - beginsAt).to.be.above((count / 10 - 1) * 1000)
    close()
  })

  it('and national tables pass through that server and come back as the same text', async () => {
    const { port, taken, sessions, close } = await startServer()
    const line = await lineAt(port, 'national', { nationalTables: 'turkish' })
    const text = `${'Işık şöyle dedi: '.repeat(6)}ğ`
    const to_number = await send(line, text)
    expect(taken).to.have.length(1)
    const [{ esm_class, data_coding, short_message } = {}] = taken as Partial<Pdu>[]
    expect({ esm_class, data_coding }).to.deep.equal({ esm_class: 0x40, data_coding: 0 })
    sessions[0]?.send(
      new smpp.PDU('deliver_sm', {
        ...{ source_addr_ton: 1, source_addr: to_number.slice(1) },
        ...{ dest_addr_ton: 1, destination_addr: line.number.slice(1) },
        ...{ esm_class: 0x40, data_coding: 0, short_message: short_message as Buffer },
      }),
    )
    await until('the event arrives', () => payloads().includes(text))
    close()
  })
})

/** The package's own server, which keeps what it takes. */
async function startServer() {
  const taken: Pdu[] = []
  const takenAt: number[] = []
  const sessions: Session[] = []
  const server = smpp.createServer({}, (session: Session) => {
    session.on('bind_transceiver', (bind: Pdu) => {
      session.send(bind.response())
      sessions.push(session)
    })
    session.on('enquire_link', (enquiry: Pdu) => session.send(enquiry.response()))
    session.on('unbind', (unbind: Pdu) => session.send(unbind.response()))
    session.on('submit_sm', (submit: Pdu) => {
      taken.push(submit)
      takenAt.push(performance.now())
      session.send(submit.response({ message_id: 'p1' }))
    })
    session.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    ...{ port, taken, takenAt, sessions },
    close: () => {
      for (const session of server.sessions) session.destroy()
      server.close()
    },
  }
}
