import { appendFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Pdu, PduFields, Session } from 'smpp'
import { smpp } from '../src/carriers/smpp/package.js'

/**
 * A small SMSC to develop and test against. It takes every `submit_sm`, except to the numbers below, and brings
 * `deliver_sm` to whoever is bound for them: again, after the session has ended, what was not answered.
 */
export const SMSC_NUMBERS = {
  rejected: '+15005550001',
  throttled: '+15005550002',
  failing: '+15005550003',
  /** The connection is cut instead of an answer. */
  cut: '+15005550004',
  neverAnswers: '+15005550005',
} as const

export interface SmscOptions {
  port?: number
  password?: string
  tls?: { key: string; cert: string }
  /** Before each answer. */
  delayMs?: number
  /** The status that the nth message (from 1) is refused with. */
  refuse?: (nth: number) => string | undefined
  /** A receipt follows each message that asks for one. */
  receipts?: boolean
  /** Told before the answer is written. */
  onTaken?: (taken: TakenMessage) => void
  /** How many `deliver_sm` a session may owe an answer. */
  deliverWindow?: number
}

export interface TakenMessage {
  id: string
  from: string
  to: string
  esmClass: number
  dataCoding: number
  registeredDelivery: number
  /** `short_message`, or `message_payload`. */
  body: Buffer
  isPayload: boolean
}

export interface Smsc {
  port: number
  taken: TakenMessage[]
  /** The most that one session had sent without an answer. */
  maxUnanswered(): number
  sessions(): readonly Session[]
  /** The commands that were seen, such as `enquire_link`. */
  seen: string[]
  /** Stops answering `enquire_link` and everything else; connections stay. */
  hang(): void
  /** A `deliver_sm`, now or when somebody is bound. */
  bring(fields: PduFields): void
  /** The `command_status` of those that were answered, in order; those told to come again are not over. */
  answers: number[]
  waitingCount(): number
  /** Cuts every connection. */
  cut(): void
  close(): Promise<void>
}

const TEMPORARY = 'ESME_RX_T_APPN'

export async function startSmsc(options: SmscOptions = {}): Promise<Smsc> {
  const { port = 0, password, tls, delayMs = 0, refuse, deliverWindow = 50 } = options
  const taken: TakenMessage[] = []
  const answers: number[] = []
  const seen: string[] = []
  const waiting: PduFields[] = []
  const receivers = new Map<Session, Map<number, PduFields>>()
  let submitCount = 0
  let maxUnanswered = 0
  let isHanging = false
  let sequence = 0

  function onSession(session: Session): void {
    let unanswered = 0
    session.on('error', () => {
      session.destroy()
    })
    session.on('close', () => {
      // In their order, before what was not sent yet.
      waiting.unshift(...(receivers.get(session)?.values() ?? []))
      receivers.delete(session)
      deliver()
    })
    session.on('pdu', (pdu: Pdu) => {
      if (isHanging) return
      seen.push(pdu.command)
      if (pdu.command.startsWith('bind_') && !pdu.isResponse()) bind(session, pdu)
      else if (pdu.command === 'deliver_sm_resp' || pdu.command === 'generic_nack') answered(session, pdu)
      else if (pdu.command === 'enquire_link') session.send(pdu.response())
      else if (pdu.command === 'unbind') {
        session.send(pdu.response())
        session.socket.end()
      } else if (pdu.command === 'submit_sm') {
        unanswered += 1
        maxUnanswered = Math.max(maxUnanswered, unanswered)
        void submit(session, pdu).finally(() => (unanswered -= 1))
      }
    })
  }

  function bind(session: Session, pdu: Pdu): void {
    if (password !== undefined && pdu.password !== password) {
      session.send(pdu.response({ command_status: smpp.errors.ESME_RINVPASWD }))
      return
    }
    session.send(pdu.response({ system_id: 'smsc' }))
    if (pdu.command === 'bind_transmitter') return
    receivers.set(session, new Map())
    deliver()
  }

  async function submit(session: Session, pdu: Pdu): Promise<void> {
    submitCount += 1
    const nth = submitCount
    const to = `+${String(pdu.destination_addr).replace('+', '')}`
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    if (to === SMSC_NUMBERS.neverAnswers) return
    if (to === SMSC_NUMBERS.cut) {
      session.destroy()
      return
    }
    const refusal = refusalOf(to, nth)
    if (refusal !== undefined) {
      session.send(pdu.response({ command_status: smpp.errors[refusal] }))
      return
    }
    const message = readSubmit(pdu, String(nth))
    taken.push(message)
    options.onTaken?.(message)
    session.send(pdu.response({ message_id: message.id }))
    if (options.receipts && message.registeredDelivery === 1) bring(receiptOf(message))
  }

  function refusalOf(to: string, nth: number): string | undefined {
    if (to === SMSC_NUMBERS.rejected) return 'ESME_RINVDSTADR'
    if (to === SMSC_NUMBERS.throttled) return 'ESME_RTHROTTLED'
    if (to === SMSC_NUMBERS.failing) return 'ESME_RSYSERR'
    return refuse?.(nth)
  }

  function bring(fields: PduFields): void {
    waiting.push(fields)
    deliver()
  }

  /** To whoever owes the fewest answers. */
  function deliver(): void {
    while (waiting.length > 0) {
      const [session, owed] = [...receivers].sort(([, a], [, b]) => a.size - b.size)[0] ?? []
      if (session === undefined || owed === undefined || owed.size >= deliverWindow) return
      const fields = waiting.shift() ?? {}
      sequence += 1
      owed.set(sequence, fields)
      session.send(new smpp.PDU('deliver_sm', { ...fields, sequence_number: sequence }))
    }
  }

  function answered(session: Session, pdu: Pdu): void {
    const owed = receivers.get(session)
    const fields = owed?.get(pdu.sequence_number)
    if (owed === undefined || fields === undefined) return
    owed.delete(pdu.sequence_number)
    if (pdu.command_status === smpp.errors[TEMPORARY]) waiting.push(fields)
    else answers.push(pdu.command_status)
    deliver()
  }

  const server = smpp.createServer(tls ?? {}, onSession)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const cut = () => {
    for (const session of [...server.sessions]) session.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    taken,
    maxUnanswered: () => maxUnanswered,
    sessions: () => server.sessions,
    seen,
    hang: () => {
      isHanging = true
    },
    bring,
    answers,
    waitingCount: () => waiting.length + [...receivers.values()].reduce((sum, owed) => sum + owed.size, 0),
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        cut()
      }),
  }
}

function readSubmit(pdu: Pdu, id: string): TakenMessage {
  const payload = pdu.message_payload as Buffer | undefined
  return {
    id,
    from: String(pdu.source_addr),
    to: String(pdu.destination_addr),
    esmClass: Number(pdu.esm_class),
    dataCoding: Number(pdu.data_coding),
    registeredDelivery: Number(pdu.registered_delivery),
    body: payload ?? (pdu.short_message as Buffer),
    isPayload: payload !== undefined,
  }
}

/** What the SMSC's other side reads, by the package's own encodings. */
export function textOf({ body, esmClass, dataCoding }: TakenMessage): string {
  const text = (esmClass & 0x40) === 0 ? body : body.subarray((body[0] ?? 0) + 1)
  return smpp.encodings[dataCoding === 8 ? 'UCS2' : 'ASCII'].decode(text)
}

export function receiptOf({ id, from, to }: TakenMessage, stat = 'DELIVRD', err = '000'): PduFields {
  return {
    source_addr_ton: 1,
    source_addr: to,
    dest_addr_ton: 1,
    destination_addr: from,
    esm_class: 4,
    data_coding: 0,
    short_message: Buffer.from(
      `id:${id} sub:001 dlvrd:001 submit date:2611211200 done date:2611211201 stat:${stat} err:${err} text:`,
    ),
  }
}

/** A text from a person to a line. */
export function inboundOf(fromNumber: string, toNumber: string, text: string): PduFields {
  const isUcs2 = smpp.encodings.ASCII.decode(smpp.encodings.ASCII.encode(text)) !== text
  const body = smpp.encodings[isUcs2 ? 'UCS2' : 'ASCII'].encode(text)
  return {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: fromNumber.replace('+', ''),
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: toNumber.replace('+', ''),
    data_coding: isUcs2 ? 8 : 0,
    ...(body.length > 254 ? { message_payload: body } : { short_message: body }),
  }
}

/**
 * As a process: prints what it takes, one JSON line each, and brings what it reads in lines such as
 * `+15005550199 +15550000001 Hello`.
 *
 * SMSC_PORT: where it listens, on loopback. SMSC_PASSWORD: the one that a bind must have. SMSC_RECORD: a file for
 * what it takes, too. SMSC_DELAY_MS, SMSC_THROTTLE_EVERY, SMSC_RECEIPTS=true.
 */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const {
    SMSC_PORT = '2775',
    SMSC_PASSWORD,
    SMSC_RECORD,
    SMSC_DELAY_MS,
    SMSC_THROTTLE_EVERY,
    SMSC_RECEIPTS,
  } = env
  const smsc = await startSmsc({
    port: Number(SMSC_PORT),
    delayMs: Number(SMSC_DELAY_MS ?? 0),
    receipts: SMSC_RECEIPTS === 'true',
    ...(SMSC_PASSWORD === undefined ? {} : { password: SMSC_PASSWORD }),
    refuse: (nth) => (nth % Number(SMSC_THROTTLE_EVERY) === 0 ? 'ESME_RTHROTTLED' : undefined),
    onTaken: (taken) => {
      const line = `${JSON.stringify({ id: taken.id, from: taken.from, to: taken.to, text: textOf(taken) })}\n`
      // At once: it may be killed after the answer.
      if (SMSC_RECORD !== undefined) appendFileSync(SMSC_RECORD, line)
      process.stdout.write(line)
    },
  })
  process.stdout.write(`${JSON.stringify({ msg: 'smsc.started', port: smsc.port })}\n`)
  process.on('SIGTERM', () => process.exit(0))
  for await (const line of createInterface({ input: process.stdin })) {
    const [, from, to, text] = /^(\+\d+) (\+\d+) (.+)$/.exec(line) ?? []
    if (from !== undefined && to !== undefined && text !== undefined) smsc.bring(inboundOf(from, to, text))
    else process.stdout.write('a line is: from-number to-number text\n')
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.env)
