import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../ids.js'
import type { Logger } from '../../telemetry/log.js'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  type Carrier,
  type CarrierKind,
} from '../carrier.js'
import { NotBound } from './connect.js'
import { NoAnswer } from './link.js'
import { textField, type Pdu, type PduFields } from './pdu.js'
import { idInReceipts } from './receipt-ids.js'
import { reconnectMs } from './reconnect.js'
import { openSession, type Patience } from './session.js'
import { smppSettings, type SmppSettings } from './settings.js'
import { describeStatus, statusName, TEMPORARY, THROTTLED } from './status.js'
import { submitsOf } from './submit.js'
import { createTransmitters } from './transmitters.js'

const THROTTLED_MS = 1000
/** As many as an 8-bit reference can tell apart. */
const MAX_PARTS = 255

export const smppKind: CarrierKind<SmppSettings> = {
  title: 'SMPP',
  settings: smppSettings,
  defaults: { messagesPerSecond: null, messagesPerSecondPerLine: null, handlesOptOut: false },
  create: ({ name }, settings, { log }) => createSmpp(name, smppSettings.cast(settings), log),
}

/** Any SMSC, by SMPP 3.4. What it receives for us comes by the binds of `receive-smpp`. */
export function createSmpp(name: string, settings: SmppSettings, log: Logger, patience?: Patience): Carrier {
  const transmitters = createTransmitters(settings, log, patience)
  // Not 0 in each process: two of them may write to one number.
  let reference = Math.floor(Math.random() * 256)

  /** @throws the four errors of a carrier */
  async function submit(fields: PduFields, signal: AbortSignal): Promise<string> {
    try {
      return readResponse(await transmitters.request('submit_sm', fields, signal), settings)
    } catch (error) {
      if (error instanceof NotBound) throw new CarrierUnavailable(error.message)
      if (!(error instanceof NoAnswer)) throw error
      throw error.wasWritten
        ? new CarrierOutcomeUnknown(error.message)
        : new CarrierUnavailable(error.message)
    }
  }

  /** The parts before are on their way: whatever happens, they must not go again, so this one does not give up. */
  async function submitFurther(fields: PduFields, signal: AbortSignal): Promise<string> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await submit(fields, signal)
      } catch (error) {
        if (!(error instanceof CarrierThrottled || error instanceof CarrierUnavailable))
          throw new CarrierOutcomeUnknown('a part of the message was taken, and a later one not', {
            cause: error,
          })
      }
      await sleep(reconnectMs(failures, Math.random()), undefined, { signal }).catch(() => {
        throw new CarrierOutcomeUnknown('a part of the message was taken, and a later one not in time')
      })
    }
  }

  return {
    name,
    send: async (message, signal) => {
      if (message.mediaUrl !== null) throw new CarrierRejected('this carrier sends texts only')
      if (signal.aborted) throw new CarrierOutcomeUnknown('the time was over before it began')
      reference += 1
      const [first = {}, ...further] = submitsOf(message, settings, reference)
      if (further.length >= MAX_PARTS) throw new CarrierRejected('the text is too long')
      let id = await submit(first, signal)
      for (const fields of further) id = await submitFurther(fields, signal)
      return { carrierMessageId: id }
    },
    test: async (signal) => {
      try {
        const session = await openSession({
          settings,
          bindAs: 'transmitter',
          signal,
          ...(patience ? { patience } : {}),
        })
        await session.close()
        return undefined
      } catch (error) {
        if (error instanceof NotBound) return error.message
        throw error
      }
    },
    close: () => transmitters.close(),
  }
}

/** A negative response means that the SMSC did not take the message. */
function readResponse(response: Pdu, settings: SmppSettings): string {
  const status = statusName(response.command_status)
  if (THROTTLED.has(status)) throw new CarrierThrottled(THROTTLED_MS)
  if (TEMPORARY.has(status)) throw new CarrierUnavailable(describeStatus(status))
  if (response.command_status !== 0 || response.command !== 'submit_sm_resp')
    throw new CarrierRejected(describeStatus(status), status)
  const id = textField(response, 'message_id')
  // An SMSC that gives no id has taken it all the same; there will be no receipt that we could tell by it.
  return id === '' ? newId() : idInReceipts(id, settings.receiptIds)
}
