import { setTimeout as sleep } from 'node:timers/promises'
import { asError } from '../../errors.js'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  type CarrierClient,
  type OutboundMessage,
} from '../carrier.js'
import { newId } from '../../ids.js'
import { countSegments } from '../../kit/text/segments.js'
import type { SentRecord } from '../records.js'
import { NotWritten, type Channel } from './channel.js'
import { errorOf } from './errors.js'
import { idOf } from './references.js'
import type { ModemSettings } from './settings.js'
import { submitsOf, type SubmitPdu } from './submit.js'

/** The longest that a text waits while the modem does something else. The network needs the rest of the time. */
const ENTER_MS = 5000
/** After this, a later part of a text is tried again if the network was busy or unavailable. */
const AGAIN_MS = 2000
const MAX_PARTS = 255

export interface ReadyModem {
  channel: Channel
  /** Called when the modem did not answer, so it has to be reopened. */
  giveUp: (reason: Error) => void
  /** Called with what the modem says about a text after its sender has stopped waiting. */
  onLate: (messageId: string, record: SentRecord) => void
}

/**
 * Makes a client that sends through a modem, one text at a time.
 *
 * @param findModem gives undefined while there is none; left out if this process does not hold it
 * @param fault why there is none
 */
export function createModem(
  name: string,
  settings: ModemSettings,
  { findModem, fault }: { findModem?: () => ReadyModem | undefined; fault?: () => string | undefined } = {},
): CarrierClient {
  let reference = Math.floor(Math.random() * 256)

  async function send(message: OutboundMessage, signal: AbortSignal): Promise<{ carrierMessageId: string }> {
    if (signal.aborted) throw new CarrierOutcomeUnknown('the time ran out before it was sent')
    if (message.fromNumber !== settings.number)
      throw new CarrierUnavailable("the SIM card does not have the line's number", { isOfLine: true })
    if (findModem === undefined) throw new CarrierUnavailable('no process has this modem')
    const modem = findModem()
    if (modem === undefined) throw new CarrierUnavailable(fault?.() ?? 'the modem is not ready')
    reference = (reference + 1) % 256
    const parts = submitsOf(message, settings, reference)
    if (parts.length > MAX_PARTS) throw new CarrierRejected('the text is too long')
    const leave = await modem.channel.enter(ENTER_MS)
    if (leave === undefined) throw new CarrierUnavailable('the modem is busy with another text')
    // The modem goes on with a text even if its sender has stopped waiting, so it must be left alone until it is done.
    const sending = sendParts(modem, message, parts, signal).finally(leave)
    return Promise.race([sending, rejectOn(signal)])
  }

  return {
    name,
    send,
    countParts: (text) => countSegments(text),
    test: () => {
      if (findModem === undefined) return Promise.resolve('no receive-smpp process is using this modem')
      return Promise.resolve(findModem() === undefined ? fault?.() : undefined)
    },
    listNumbers: () =>
      Promise.resolve([{ id: settings.number, number: settings.number, name: settings.number }]),
    close: () => Promise.resolve(),
  }
}

async function sendParts(
  modem: ReadyModem,
  { id }: OutboundMessage,
  parts: readonly SubmitPdu[],
  signal: AbortSignal,
): Promise<{ carrierMessageId: string }> {
  let carrierMessageId = ''
  for (const [index, part] of parts.entries()) {
    try {
      if (signal.aborted) throw tooLate(index)
      carrierMessageId = index === 0 ? await sendPart(modem, part) : await sendLaterPart(modem, part, signal)
    } catch (error) {
      const record = index === 0 && signal.aborted ? failureOf(error) : undefined
      if (record === undefined) throw error
      modem.onLate(id, record)
      // Its sender has counted it as unknown by now, and must not send it again.
      throw new CarrierOutcomeUnknown(record.error, { cause: error })
    }
  }
  if (signal.aborted) modem.onLate(id, { carrierMessageId, status: 'sent' })
  return { carrierMessageId }
}

function tooLate(partsSent: number): Error {
  return partsSent === 0
    ? new CarrierUnavailable('the modem was busy with another text until the time ran out')
    : new CarrierOutcomeUnknown('the time ran out before all of it was sent')
}

/** Returns what an error of the first part says about the text, when it is too late to try again. */
function failureOf(error: unknown): (SentRecord & { error: string }) | undefined {
  const failed = { status: 'failed', carrierMessageId: newId() } as const
  if (error instanceof CarrierRejected) {
    const { reason, carrierCode } = error
    return { ...failed, error: reason, ...(carrierCode !== undefined && { carrierCode }) }
  }
  if (error instanceof CarrierThrottled) return { ...failed, error: 'the modem or the network was busy' }
  return error instanceof CarrierUnavailable ? { ...failed, error: error.message } : undefined
}

/** Earlier parts are sent already, so this part is tried again unless it may have been sent too. */
async function sendLaterPart(modem: ReadyModem, part: SubmitPdu, signal: AbortSignal): Promise<string> {
  for (;;) {
    try {
      return await sendPart(modem, part)
    } catch (error) {
      const isTemporary = error instanceof CarrierThrottled || error instanceof CarrierUnavailable
      if (!isTemporary || error.cause instanceof NotWritten)
        throw new CarrierOutcomeUnknown('a part of the text was sent, but a later one was not', {
          cause: error,
        })
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => {
      throw new CarrierOutcomeUnknown('a part of the text was sent, but a later one was not sent in time')
    })
  }
}

/**
 * @returns the carrier's id
 * @throws the four errors of a carrier
 */
async function sendPart({ channel, giveUp }: ReadyModem, part: SubmitPdu): Promise<string> {
  try {
    const { isOk, code, lines, isWritten } = await channel.submit(part)
    if (!isOk) throw errorOf(code, isWritten)
    const [, reference] = /^\+CMGS: *(\d+)/.exec(lines.find((line) => line.startsWith('+CMGS')) ?? '') ?? []
    // It was accepted even without a reference, but no report will find it.
    return idOf(Number(reference ?? -1), Date.now())
  } catch (error) {
    if (isOfCarrier(error)) throw error
    giveUp(asError(error))
    if (error instanceof NotWritten) throw new CarrierUnavailable(error.message, { cause: error })
    throw new CarrierOutcomeUnknown(asError(error).message, { cause: error })
  }
}

function isOfCarrier(error: unknown): boolean {
  return [CarrierRejected, CarrierThrottled, CarrierUnavailable, CarrierOutcomeUnknown].some(
    (each) => error instanceof each,
  )
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new CarrierOutcomeUnknown('the modem did not answer in time'))
    })
  })
}
