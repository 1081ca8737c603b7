import { FetchFailed } from '../safe-fetch.js'
import { CarrierOutcomeUnknown, CarrierUnavailable, MAX_THROTTLE_MS, type CarrierClient } from './carrier.js'
import type { CarrierTools } from './kind.js'

/** What all HTTP carriers share in how they refuse a message. */

/** Converts the reason why a message got no response to one of the four errors. */
export function errorOfFailure(failure: unknown, signal: AbortSignal): Error {
  if (!(failure instanceof FetchFailed)) throw failure
  // After an abort, the caller has already counted the message as unknown.
  if (failure.requestSent || signal.aborted) return new CarrierOutcomeUnknown(failure.message)
  return new CarrierUnavailable(failure.message)
}

/** Logs why a carrier did not take a message. */
export function loggingRefusals(
  send: CarrierClient['send'],
  carrier: string,
  { log }: Pick<CarrierTools, 'log'>,
): CarrierClient['send'] {
  return async (message, signal) => {
    try {
      return await send(message, signal)
    } catch (error) {
      const { name: outcome, message: reason } = error as Error
      log.info({ messageId: message.id, carrier, outcome, reason }, 'carrier.not_taken')
      throw error
    }
  }
}

/** The wait if a carrier gives none. Paces are counted by the second, so after two there is room again. */
const DEFAULT_WAIT_MS = 2000
/**
 * A wait that the carrier asks for uses up no attempt, so with zero, or a date in the past by our clock, we would ask
 * again without a pause until the message expires.
 */
const MIN_WAIT_MS = 1000

/** Reads seconds or a date (RFC 9110 §10.2.3) as milliseconds from now; never less than a second. */
export function readRetryAfter(value: string | undefined, now: number): number {
  if (value === undefined || value.trim() === '') return DEFAULT_WAIT_MS
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? DEFAULT_WAIT_MS : Math.min(Math.max(ms, MIN_WAIT_MS), MAX_THROTTLE_MS)
}

/** The longest reason of a carrier in words. It is shown in a line of a list, which a longer one would fill. */
export const MAX_REASON_LENGTH = 300

/**
 * Removes phone numbers from a carrier's words, which may repeat those of its request; the words are stored, shown and
 * logged.
 */
export function withoutNumbers(words: string): string {
  return words.replace(/(\+|%2B)?\d(?:[ ().-]{0,2}\d){6,}/gi, '[number]')
}

/**
 * Explains to operators why a carrier's host could not be called, and what only they can do about a host in their
 * network.
 */
export function explainBlockedCarrier({ failure, message }: FetchFailed): string {
  if (failure !== 'blocked_address') return message
  return `${message} If the carrier is in your own network, allow its addresses with ALLOWED_CARRIER_CIDRS.`
}
