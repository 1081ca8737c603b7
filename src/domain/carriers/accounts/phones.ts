import type { PhoneState } from '../../../carriers/records.js'
import type { CarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import { notePhones } from '../../../database/carriers/phones.js'
import type { Context } from '../../context.js'
import { tryWaiting } from '../../messages/send/recovery.js'
import { pollAccounts } from '../poll-accounts.js'

/** This is often enough for the shortest `awayAfterMs`, and rare enough for a server that many people use. */
const POLL_EVERY_SECONDS = 120

/** The state of a phone that an account sends through. */
export interface PhoneView {
  id: string
  contactAt: Date
  isAway: boolean
  /** A text such as `84%, charging`; '' if it is unknown. */
  battery: string
}

/** Returns an account's phones, the one that has been silent for longest first. */
export function viewPhones({ phones }: Pick<CarrierAccount, 'phones'>, now = Date.now()): PhoneView[] {
  return Object.entries(phones)
    .map(([id, { contactAt, awayAfterMs, batteryPercent, isCharging }]) => ({
      id,
      contactAt: new Date(contactAt),
      isAway: now - Date.parse(contactAt) > awayAfterMs,
      battery: [
        ...(batteryPercent === undefined ? [] : [`${batteryPercent}%`]),
        ...(isCharging === undefined ? [] : [isCharging ? 'charging' : 'not charging']),
      ].join(', '),
    }))
    .sort((one, other) => one.contactAt.getTime() - other.contactAt.getTime())
}

/**
 * Stores the report of a phone, or of its server. A clock that is ahead of ours does not put the contact in the future.
 */
export async function notePhone(context: Context, account: { id: string }, phone: PhoneState): Promise<void> {
  await notePhones(context.db, account.id, [notLaterThanNow(phone)], { areAll: false })
  await tryWaiting(context, account.id)
}

/**
 * Asks carriers for the states of their phones. If one cannot be reached, its last contact ages until people are
 * notified (`operating/notices/parts.ts`).
 *
 * @returns the number of accounts that answered
 */
export async function pollPhones(context: Context, signal: AbortSignal): Promise<number> {
  return pollAccounts(
    context,
    {
      what: 'phones',
      isFor: ({ hasPhones }) => hasPhones === true,
      everySeconds: POLL_EVERY_SECONDS,
      signal,
    },
    async (carrier, { id }) => {
      if (carrier.listPhones === undefined) return false
      const limited = AbortSignal.any([signal, AbortSignal.timeout(context.config.carrierTimeoutMs)])
      const phones = await carrier.listPhones(limited)
      await notePhones(context.db, id, phones.map(notLaterThanNow), { areAll: true })
      return true
    },
  )
}

function notLaterThanNow(phone: PhoneState): PhoneState {
  return { ...phone, contactAt: new Date(Math.min(phone.contactAt.getTime(), Date.now())) }
}
