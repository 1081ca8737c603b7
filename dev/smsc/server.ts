import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pdu, PduFields, Session } from 'smpp'
import { smpp } from '../../src/carriers/smpp/package.js'
import { readSubmit, receiptOf, type TakenMessage } from './messages.js'

/**
 * A small SMSC to develop and test against. It accepts every `submit_sm`, except to the numbers below. It sends
 * `deliver_sm` to the sessions that are bound to receive, and repeats those that were not answered before their session
 * ended.
 */
export const SMSC_NUMBERS = {
  rejected: '+15005550001',
  throttled: '+15005550002',
  failing: '+15005550003',
  /** Instead of an answer, the connection is cut. */
  cut: '+15005550004',
  neverAnswers: '+15005550005',
} as const

export interface SmscOptions {
  port?: number
  password?: string
  /** The id of its first message; the others follow. */
  firstId?: number
  tls?: { key: string; cert: string }
  /** How many sessions may be bound at a time. The next bind is refused. */
  maxSessions?: number
  /** The binds that it accepts, such as `bind_transceiver`. The default is all. */
  binds?: readonly string[]
  /** How long it waits before each answer. */
  delayMs?: number
  /** Returns the status with which the nth message (from 1) is refused, or undefined if it is taken. */
  refuse?: (nth: number) => string | undefined
  /** A receipt follows each message that asks for one. */
  receipts?: boolean
  /** Called before the answer is written. */
  onTaken?: (taken: TakenMessage) => void
  /** How many `deliver_sm` of a session may be without an answer at a time. */
  deliverWindow?: number
}

export interface Smsc {
  port: number
  taken: TakenMessage[]
  /** The largest number of messages that one session had sent without an answer. */
  maxUnanswered(): number
  sessions(): readonly Session[]
  /** The kinds of bind of the sessions that are bound, such as `bind_transceiver`. */
  bound(): string[]
  /** The commands that it has seen, such as `enquire_link`. */
  seen: string[]
  /** After this call it answers nothing, not even `enquire_link`. Its connections stay. */
  hang(): void
  /** Sends a `deliver_sm`, now or when a session is bound. */
  bring(fields: PduFields): void
  /** The `command_status` of each answer to a `deliver_sm`, in order. An answer may ask for a repeat. */
  answers: number[]
  waitingCount(): number
  /** Cuts every connection. */
  cut(): void
  close(): Promise<void>
}

const TEMPORARY = 'ESME_RX_T_APPN'

export async function startSmsc(options: SmscOptions = {}): Promise<Smsc> {
  const { port = 0, password, tls, delayMs = 0, firstId = 1, refuse, deliverWindow = 50 } = options
  const taken: TakenMessage[] = []
  const answers: number[] = []
  const seen: string[] = []
  const waiting: PduFields[] = []
  const bound = new Map<Session, string>()
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
      bound.delete(session)
      // They come before the messages that were not sent yet, in their old order.
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
    if (options.binds?.includes(pdu.command) === false) {
      // SMSCs of version 3.3, which has no transceivers, answer this way.
      const fields = { sequence_number: pdu.sequence_number, command_status: smpp.errors.ESME_RINVCMDID }
      session.send(new smpp.PDU('generic_nack', fields))
      return
    }
    if (bound.size >= (options.maxSessions ?? Infinity)) {
      session.send(pdu.response({ command_status: smpp.errors.ESME_RALYBND }))
      return
    }
    bound.set(session, pdu.command)
    session.send(pdu.response({ system_id: 'smsc' }))
    if (pdu.command === 'bind_transmitter') return
    receivers.set(session, new Map())
    deliver()
  }

  async function submit(session: Session, pdu: Pdu): Promise<void> {
    if ((bound.get(session) ?? 'bind_receiver') === 'bind_receiver') {
      session.send(pdu.response({ command_status: smpp.errors.ESME_RINVBNDSTS }))
      return
    }
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
    const message = readSubmit(pdu, String(firstId + nth - 1))
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

  /** Sends to the session that owes the fewest answers. */
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
    bound: () => [...bound.values()].sort(),
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
