import type { AnyObject } from 'yup'
import { callbackUrlOf } from './callbacks.js'
import type { CarrierKind } from './kind.js'
import { callbacksFor } from './kit/callbacks.js'
import { createClient } from './kit/client.js'
import type { Provider } from './kit/provider.js'

/** The tools for writing a provider: its file imports this one and `yup`, and nothing else of ours. */

export type { CallbackRequest } from './callbacks.js'
export { CarrierRefused, CarrierRejected, CarrierUnavailable, type CarrierNumber } from './carrier.js'
export type { Answer } from './kit/answer.js'
export {
  message,
  missedCall,
  NOTHING,
  optOut,
  phone,
  receipt,
  unclear,
  type CallbackItem,
  type StateTable,
} from './kit/callback-items.js'
export { readCharge } from './kit/charge.js'
export { claimsBody, readJwt } from './kit/jwt.js'
export { readNumber } from './kit/numbers.js'
export type { Asking, MessageToSend, Provider, Use } from './kit/provider.js'
export { at, entryOf, isRecord, listAt, textAt, textsAt } from './kit/reading.js'
export { dataUrl, type Listed } from './kit/received.js'
export type { CodeTable, Refusal } from './kit/refusals.js'
export type { PhoneState } from './records.js'
export * as setting from './kit/settings.js'
export { isGsm7 } from '../kit/text/segments.js'
export { senderKindOf } from '../kit/text/sender-kind.js'
export * as verify from './kit/verify.js'

/** Makes the kind of carrier from a provider. */
export function carrierOf<Settings extends AnyObject>(provider: Provider<Settings>): CarrierKind<Settings> {
  const { title, settings, defaults, media, callbacks, listPhones } = provider
  return {
    title,
    settings,
    defaults: {
      messagesPerSecond: null,
      messagesPerSecondPerLine: null,
      handlesOptOut: false,
      ...defaults,
    },
    media,
    ...(listPhones === undefined ? {} : { hasPhones: true }),
    create: (account, its, tools) =>
      createClient(provider, account, its, {
        ...tools,
        callbackUrl: (name, query) => {
          const key = callbacks?.key?.(its)
          const path = { kind: provider.kind, accountId: account.id, name }
          return callbackUrlOf(tools.publicUrl, path, { ...query, ...(key === undefined ? {} : { key }) })
        },
      }),
    ...(callbacks === undefined ? {} : { callbacks: callbacksFor(provider, callbacks) }),
  }
}
