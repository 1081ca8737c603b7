import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { asError, Unavailable } from '../../errors.js'
import { every } from '../../kit/process/every.js'
import { newId } from '../../ids.js'
import type { Logger } from '../../telemetry/log.js'
import type { Arrival, ListenTools } from '../listening.js'
import type { Pdu, ReceivedPdu } from './pdu.js'
import { refuseUnreadable, TIMEOUTS, type Session } from './session.js'

/** A `deliver_sm` or `data_sm`, which carries no id. */
export interface SmppDelivery extends Omit<Arrival, 'silentMs' | 'rememberedMs'> {
  /** The digest covers all of it except the sequence number. */
  pdu: Pdu
  /** Its bytes after the header. */
  body: Buffer
}

export interface Handled {
  /** `ESME_ROK`, or the error for the SMSC. */
  status: string
  /** The arrival that is confirmed once the SMSC has read the response. */
  confirmId?: string
}

/** @throws Unavailable if it has to be tried again; a delivery without an answer stays at the SMSC */
export type Handle = (delivery: SmppDelivery) => Promise<Handled>

/** @throws Unavailable if it has to be tried again */
export type KeepUnclear = ListenTools['keepUnclear']

/** The intake of one session. */
export interface Intake {
  take(pdu: Pdu, body: Buffer): void
  /** Keeps a request that cannot be read, and refuses it. */
  takeUnreadable(received: ReceivedPdu): void
  /** Accepts nothing new; resolves when everything held has been answered, or is left for the SMSC to send again. */
  drain(): Promise<void>
}

/** With this many unanswered, nothing more is read and the SMSC has to wait. Most SMSCs have smaller windows. */
const MAX_HELD = 200
/**
 * Postgres is asked again after this time. Up to 200 messages wait this way, and must not crowd a database that is
 * coming back.
 */
const UNAVAILABLE_MS = 1000
/**
 * All answers of a second are confirmed by one request and one statement. Until an answer is confirmed, an identical
 * text that comes after the session has ended may be mistaken for a repeat, so this must be short.
 */
const CONFIRM_MS = 1000
/** No SMSC repeats sooner, so two identical texts within this time are two messages. */
export const RESENT_AFTER_MS = 5000
/** An SMSC repeats a text that was not answered immediately, or in its next sessions, but not a day later. */
export const REMEMBERED_MS = 3_600_000
/** Asks the SMSC to try again later. An SMSC that does not know this status treats it like any failure. */
export const TEMPORARY = 'ESME_RX_T_APPN'

/**
 * Answers only what is committed. While Postgres is unavailable, it answers nothing at all: some SMSCs drop a message
 * for any error, but all keep a message that has no answer, and send it again later.
 *
 * An answer that was written may still be lost with the connection. So now and then it sends an `enquire_link`: the
 * response proves that the SMSC has read all earlier answers, which are then confirmed.
 */
export function createIntake(options: {
  session: Session
  log: Logger
  handle: Handle
  keepUnclear: KeepUnclear
  confirm: (ids: string[]) => Promise<void>
}): Intake {
  const { session, log, handle, keepUnclear, confirm } = options
  const held = new Map<string, { since: number; outcome: Promise<Handled | undefined> }>()
  const running = new Set<Promise<void>>()
  let answered: string[] = []
  let isDraining = false
  /** Whether the log already says that deliveries are waiting. Up to 200 may, and each retries once a second. */
  let isWaiting = false

  const confirming = every(CONFIRM_MS, confirmAnswered, log, 'smpp confirmations')
  void session.ended.then(() => confirming.stop())

  async function confirmAnswered(): Promise<void> {
    const ids = answered
    if (ids.length === 0 || !session.isOpen()) return
    answered = []
    try {
      await session.control('enquire_link', {}, TIMEOUTS.enquireMs)
    } catch (error) {
      session.end(asError(error))
      return
    }
    try {
      await confirm(ids)
    } catch (error) {
      answered.push(...ids)
      throw error
    }
  }

  /** @returns undefined if it must not be answered */
  async function work(act: () => Promise<Handled>): Promise<Handled | undefined> {
    for (;;) {
      try {
        const handled = await act()
        isWaiting = false
        return handled
      } catch (error) {
        if (!(error instanceof Unavailable)) {
          log.error({ sessionId: session.id, err: asError(error) }, 'smpp.delivery_failed')
          return { status: TEMPORARY }
        }
        if (!isWaiting) log.warn({ sessionId: session.id, reason: error.message }, 'smpp.delivery_waits')
        isWaiting = true
      }
      await sleep(UNAVAILABLE_MS)
      if (isDraining || !session.isOpen()) return undefined
    }
  }

  async function answer(pdu: Pdu, body: Buffer): Promise<void> {
    const digest = createHash('sha256').update(body).digest()
    const key = digest.toString('base64')
    const earlier = held.get(key)
    const isResent = earlier !== undefined && performance.now() - earlier.since > RESENT_AFTER_MS
    // It has the same id at each try, because an earlier try may have been committed without our knowing.
    const delivery = { id: newId(), sessionId: session.id, digest, pdu, body }
    const outcome = isResent ? earlier.outcome : work(() => handle(delivery))
    const entry = { since: performance.now(), outcome }
    if (!isResent) held.set(key, entry)
    const handled = await outcome
    if (held.get(key) === entry) held.delete(key)
    if (handled === undefined) return
    session.answer({ command: pdu.command, sequence: pdu.sequence_number }, handled.status)
    if (handled.confirmId !== undefined) answered.push(handled.confirmId)
  }

  async function refuse(received: ReceivedPdu): Promise<void> {
    const { header, body } = received
    const why = `a PDU of ${header.length} bytes that cannot be read`
    const handled = await work(async () => {
      await keepUnclear({ why, body })
      return { status: TEMPORARY }
    })
    if (handled !== undefined) refuseUnreadable(session, received)
  }

  function hold(answering: Promise<void>): void {
    const job = answering.finally(() => {
      running.delete(job)
      session.resume()
    })
    running.add(job)
    if (running.size >= MAX_HELD) session.pause()
  }

  return {
    take: (pdu, body) => {
      if (!isDraining) hold(answer(pdu, body))
    },
    takeUnreadable: (received) => {
      if (!isDraining) hold(refuse(received))
    },
    drain: async () => {
      isDraining = true
      await Promise.all(running)
      await confirming.stop()
      await confirmAnswered().catch(() => undefined)
    },
  }
}
