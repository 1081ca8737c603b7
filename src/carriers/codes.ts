import { CARRIER_REASONS, type CarrierCodeMeaning, type CarrierReason } from '../carrier-reasons.js'
import { africastalking } from './codes/africastalking.js'
import { bird } from './codes/bird.js'
import type { CarrierCodes } from './codes/carrier-codes.js'
import { clickatell } from './codes/clickatell.js'
import { infobip } from './codes/infobip.js'
import { messagemedia } from './codes/messagemedia.js'
import { modem } from './codes/modem.js'
import { plivo } from './codes/plivo.js'
import { sinch } from './codes/sinch.js'
import { smpp } from './codes/smpp.js'
import { telnyx } from './codes/telnyx.js'
import { twilio } from './codes/twilio.js'
import { vonage } from './codes/vonage.js'

/**
 * Carriers' codes by the kind of the account (`src/carriers/registry.ts`). A code that no public page explains is left
 * out, and so is one that means two things, because a wrong reason is worse than none.
 */
export const CARRIER_CODES: Readonly<Record<string, CarrierCodes>> = {
  twilio,
  telnyx,
  vonage,
  plivo,
  infobip,
  sinch,
  bird,
  clickatell,
  africastalking,
  messagemedia,
  smpp,
  modem,
}

/**
 * Returns the meaning of a carrier's code, and what to do about it.
 *
 * @param kind of the carrier account
 * @param noted the reason that was stored with the code; the account's settings may give one that no table has
 * @returns null for a code, or a kind of carrier, that we do not know
 */
export function explainCarrierCode(
  kind: string | null,
  code: string | null,
  noted: CarrierReason | null = null,
): CarrierCodeMeaning | null {
  const reason = noted ?? findReason(kind, code)
  return reason === undefined ? null : { reason, text: CARRIER_REASONS[reason].text }
}

function findReason(kind: string | null, code: string | null): CarrierReason | undefined {
  const known = kind === null ? undefined : TABLES.get(kind)
  if (known === undefined || code === null) return undefined
  // An SMPP receipt's code is its state and the SMSC's own error. Only the state means the same everywhere.
  return reasonOf(known, code) ?? reasonOf(known, code.replace(/\/.*/, ''))
}

/** One entry of a list: a code, or the first and the last of a range. */
export interface CodeEntry {
  reason: CarrierReason
  first: string
  last: string
}

/** The table's entries in its order. */
export function listCodes({ codes }: CarrierCodes): CodeEntry[] {
  return (Object.entries(codes) as [CarrierReason, string][]).flatMap(([reason, list]) =>
    list
      .trim()
      .split(/\s+/)
      .map((entry) => {
        const [, first = entry, last = entry] = /^(\d+)-(\d+)$/.exec(entry) ?? []
        return { reason, first, last }
      }),
  )
}

const TABLES: ReadonlyMap<string, readonly CodeEntry[]> = new Map(
  Object.entries(CARRIER_CODES).map(([kind, known]) => [kind, listCodes(known)]),
)

function reasonOf(entries: readonly CodeEntry[], code: string): CarrierReason | undefined {
  const isNumber = /^[1-9]\d{0,8}$/.test(code)
  const found =
    entries.find(({ first }) => first === code) ??
    entries.find(
      ({ first, last }) =>
        isNumber && first !== last && Number(first) <= Number(code) && Number(code) <= Number(last),
    )
  return found?.reason
}
