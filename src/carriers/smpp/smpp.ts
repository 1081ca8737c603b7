import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../ids.js'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  type CarrierClient,
  type Pace,
} from '../carrier.js'
import type { SentRecord } from '../records.js'
import { NotBound, type Hosts } from './connect.js'
import { createGate } from './gate.js'
import { NoAnswer } from './requests.js'
import { textField, type Pdu, type PduFields } from './pdu.js'
import { idInReceipts } from './receipts/ids.js'
import { reconnectMs } from './reconnect.js'
import { dialledKindsOf, openSession, TIMEOUTS, type Timeouts, type Session } from './session.js'
import type { Sessions } from './sessions.js'
import type { SmppSettings } from './settings.js'
import type { StatusRule } from './setting-lines.js'
import { describeStatus, ruleOf, statusName } from './status.js'
import { countSubmits, submitsOf } from './submit.js'
import { createThrottle } from './throttle.js'

/** The SMSC holds too many texts to one number, whose phone may be off. */
const QUEUE_FULL = 'ESME_RMSGQFUL'
/** The most parts that an 8-bit number can tell apart. */
const MAX_PARTS = 255

/**
 * Makes a client for any SMSC, by SMPP 3.4.
 *
 * @param options.sessions undefined if this process does not hold them
 */
export function createSmpp(
  name: string,
  settings: SmppSettings,
  options: {
    hosts: Hosts
    sessions?: Pick<Sessions, 'request'>
    /** The ids of the parts of texts that are still being sent. */
    partsUnderWay?: Set<string>
    timeouts?: Timeouts
    /** Called with what the SMSC says about a text after its sender has stopped waiting. */
    onLate?: (messageId: string, record: SentRecord) => void
  },
): CarrierClient {
  const { hosts, sessions, partsUnderWay = new Set(), timeouts = TIMEOUTS, onLate } = options
  // Each process starts at a random number, because two of them may write to the same phone number.
  let reference = Math.floor(Math.random() * 256)
  const throttle = createThrottle(timeouts.throttledMs)
  // Each part has the time of a response: one half to wait for its turn, and one to be answered.
  const gate = createGate(timeouts.responseMs / 2)

  /** @throws the four errors of a carrier */
  async function submit(
    fields: PduFields,
    pace: Pace | undefined,
    signal: AbortSignal,
    onLate: (response: Pdu) => void,
  ): Promise<string> {
    if (sessions === undefined) throw new CarrierUnavailable("no process is running the account's sessions")
    const number = String(fields.destination_addr)
    let status = ''
    if (pace !== undefined) await gate(pace, signal)
    try {
      const response = await sessions.request('submit_sm', fields, signal, onLate)
      status = statusName(response.command_status)
      const id = readResponse(response, settings)
      throttle.noteTaken(number)
      return id
    } catch (error) {
      if (error instanceof CarrierThrottled)
        throw new CarrierThrottled(status === QUEUE_FULL ? throttle.noteFull(number) : throttle.pause())
      if (error instanceof NotBound) throw new CarrierUnavailable(error.message)
      if (!(error instanceof NoAnswer)) throw error
      throw error.wasWritten
        ? new CarrierOutcomeUnknown(error.message)
        : new CarrierUnavailable(error.message)
    }
  }

  /** Earlier parts are sent already and must not be sent again. So this part is retried, whatever happens. */
  async function submitFurther(...asked: Parameters<typeof submit>): Promise<string> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await submit(...asked)
      } catch (error) {
        if (!(error instanceof CarrierThrottled || error instanceof CarrierUnavailable))
          throw new CarrierOutcomeUnknown('a part of the message was accepted, but a later one was not', {
            cause: error,
          })
      }
      // During a pause, it uses the room of texts that are waiting to begin.
      const waits = throttle.isPaused() ? Math.min(failures, 2) : failures
      await sleep(reconnectMs(waits, Math.random()), undefined, { signal: asked[2] }).catch(() => {
        throw new CarrierOutcomeUnknown(
          'a part of the message was accepted, but a later one was not accepted in time',
        )
      })
    }
  }

  return {
    name,
    countParts: (text) => countSubmits(text, settings),
    send: async (message, signal) => {
      if (signal.aborted) throw new CarrierOutcomeUnknown('the time ran out before it was sent')
      throttle.check()
      reference += 1
      const submits = submitsOf(message, settings, reference)
      if (submits.length > MAX_PARTS) throw new CarrierRejected('the text is too long')
      const ids: string[] = []
      for (const [index, fields] of submits.entries()) {
        const noteLate = (response: Pdu) => {
          const record = readLate(response, settings)
          // The text is sent with its last part, and not at all without its first. In between, part of it is sent.
          const isOfWhole = record?.status === 'sent' ? index === submits.length - 1 : index === 0
          if (record !== undefined && isOfWhole) onLate?.(message.id, record)
        }
        try {
          const id = await (index === 0 ? submit : submitFurther)(fields, message.pace, signal, noteLate)
          ids.push(id)
          if (index < submits.length - 1) partsUnderWay.add(id)
        } catch (cause) {
          for (const id of ids) partsUnderWay.delete(id)
          if (!(cause instanceof CarrierOutcomeUnknown)) throw cause
          throw new CarrierOutcomeUnknown(cause.message, { cause, carrierPartIds: ids })
        }
      }
      for (const id of ids) partsUnderWay.delete(id)
      const carrierMessageId = ids.pop() ?? ''
      // Some SMSCs give all parts the same id.
      const carrierPartIds = ids.filter((id) => id !== carrierMessageId)
      return { carrierMessageId, ...(carrierPartIds.length > 0 && { carrierPartIds }) }
    },
    test: async (signal) => {
      const opened: Session[] = []
      try {
        // All kinds of bind are tried at the same time, as they are used in operation.
        for (const bindAs of dialledKindsOf(settings)) {
          opened.push(await openSession({ settings, hosts, bindAs, signal, timeouts }))
        }
        // If the SMSC connects to us, nothing can be tried here: only its session shows that it works.
        if (opened.length === 0) return `the SMSC has not connected to port ${settings.outbindPort}`
        return undefined
      } catch (error) {
        if (!(error instanceof NotBound)) throw error
        return opened.length === 0
          ? error.message
          : `bound as transmitter, but not as receiver: ${error.message}`
      } finally {
        await Promise.all(opened.map((session) => session.close()))
      }
    },
    // The holder of the sessions ends them.
    close: () => Promise.resolve(),
  }
}

function errorOf(status: string, { meaning, reason }: StatusRule): Error {
  switch (meaning) {
    case 'throttled':
      return new CarrierThrottled(TIMEOUTS.throttledMs)
    case 'unavailable':
      return new CarrierUnavailable(describeStatus(status))
    case 'unknown':
      return new CarrierOutcomeUnknown(describeStatus(status))
    case 'account':
    case 'rejected':
      return new CarrierRejected(describeStatus(status), status, false, meaning === 'account', reason)
  }
}

/** A negative response means that the SMSC did not take the message. */
function readResponse(response: Pdu, settings: SmppSettings): string {
  const status = statusName(response.command_status)
  if (response.command_status !== 0) throw errorOf(status, ruleOf(response.command_status, settings))
  if (response.command !== 'submit_sm_resp')
    throw new CarrierOutcomeUnknown(`answered with ${response.command}, but without an error`)
  const id = textField(response, 'message_id')
  // An SMSC that returns no id has still accepted the message, but we will not recognize its receipt.
  return id === '' ? newId() : idInReceipts(id, settings.receiptIds)
}

/** Returns what a late response says, when it is too late to try again; undefined if it says nothing. */
function readLate(response: Pdu, settings: SmppSettings): SentRecord | undefined {
  try {
    return { status: 'sent', carrierMessageId: readResponse(response, settings) }
  } catch (error) {
    const status = statusName(response.command_status)
    if (error instanceof CarrierOutcomeUnknown) return undefined
    const failed = { status: 'failed', carrierMessageId: newId(), carrierCode: status } as const
    if (!(error instanceof CarrierRejected)) return { ...failed, error: describeStatus(status) }
    const { reason, carrierReason } = error
    return { ...failed, error: reason, ...(carrierReason && { carrierReason }) }
  }
}
