import { once } from 'node:events'
import * as yup from 'yup'
import { newId } from '../ids.js'
import {
  CarrierOutcomeUnknown,
  CarrierRejected,
  CarrierThrottled,
  CarrierUnavailable,
  type CarrierClient,
} from './carrier.js'
import type { CarrierKind } from './kind.js'
import type { SimulatorOutbox } from './simulator-outbox.js'

/**
 * A carrier without a network: it stores what it accepts in an outbox, and its receipts come back a moment later. These
 * numbers behave as real carriers sometimes do; all other numbers accept every message.
 */
export const MAGIC_NUMBERS = {
  rejected: '+15005550001',
  throttled: '+15005550002',
  unavailableTwice: '+15005550003',
  outcomeUnknown: '+15005550004',
  neverAnswers: '+15005550005',
} as const

/** The throttling number asks to wait until a message was accepted at least this long ago. */
export const THROTTLED_FOR_MS = 2000

export const simulator: CarrierKind = {
  title: 'Simulator',
  media: { count: 10 },
  settings: yup.object({}),
  defaults: { messagesPerSecond: null, messagesPerSecondPerLine: null, handlesOptOut: false },
  create: ({ name }, _settings, { simulatorOutbox }) =>
    simulatorOutbox && createSimulator(name, simulatorOutbox),
}

export function createSimulator(name: string, outbox: SimulatorOutbox): CarrierClient {
  return {
    name,
    async send(message, signal) {
      switch (message.toNumber) {
        case MAGIC_NUMBERS.rejected:
          throw new CarrierRejected('simulator: this number rejects every message')
        case MAGIC_NUMBERS.throttled:
          if (message.ageMs < THROTTLED_FOR_MS) throw new CarrierThrottled(THROTTLED_FOR_MS - message.ageMs)
          break
        case MAGIC_NUMBERS.unavailableTwice:
          if (message.attempt <= 2)
            throw new CarrierUnavailable('simulator: not available for the first two attempts')
          break
        case MAGIC_NUMBERS.outcomeUnknown:
          throw new CarrierOutcomeUnknown(
            'simulator: this number never confirms whether it accepted the message',
          )
        case MAGIC_NUMBERS.neverAnswers:
          if (!signal.aborted) await once(signal, 'abort')
          throw new CarrierOutcomeUnknown('simulator: no response in time')
      }
      const carrierMessageId = newId()
      await outbox.take({
        carrierMessageId,
        messageId: message.id,
        fromNumber: message.fromNumber,
        toNumber: message.toNumber,
        text: message.text,
        mediaUrls: message.media.map(({ url }) => url),
      })
      return { carrierMessageId }
    },
    test: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  }
}
