import type { PhoneState } from '../../../carriers/records.js'
import type { CarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import { notePhones, takeAccountsOfPhones, type AccountOfPhones } from '../../../database/carriers/phones.js'
import { asError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { tryWaiting } from '../../messages/send/recovery.js'
import { findCarrierClient } from '../carrier-clients.js'

/** This is often enough for the shortest `awayAfterMs`, and seldom enough for a server that many use. */
const POLL_EVERY_SECONDS = 120

/** The state of a phone that an account sends by. */
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
 * Keeps the report of a phone, or of its server. A clock that is ahead of ours does not put the contact in the
 * future.
 */
export async function notePhone(context: Context, account: { id: string }, phone: PhoneState): Promise<void> {
  await notePhones(context.db, account.id, [notLaterThanNow(phone)], { areAll: false })
  await tryWaiting(context, account.id)
}

/**
 * Asks carriers for the states of their phones. If one cannot be reached, its last contact ages until people are
 * notified (`operating/notices/phones.ts`).
 *
 * @returns the number of accounts that answered
 */
export async function pollPhones(context: Context, signal: AbortSignal): Promise<number> {
  const kinds = [...context.carriers.kinds].flatMap(([kind, { hasPhones }]) => (hasPhones ? [kind] : []))
  const accounts = await takeAccountsOfPhones(context.db, kinds, POLL_EVERY_SECONDS)
  const answered = await Promise.all(accounts.map((account) => pollAccount(context, account, signal)))
  return answered.filter(Boolean).length
}

async function pollAccount(
  context: Context,
  account: AccountOfPhones,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, log, config } = context
  const limited = AbortSignal.any([signal, AbortSignal.timeout(config.carrierTimeoutMs)])
  try {
    const carrier = await findCarrierClient(context, account)
    if (carrier?.listPhones === undefined) return false
    const phones = await carrier.listPhones(limited)
    await notePhones(db, account.id, phones.map(notLaterThanNow), { areAll: true })
    await tryWaiting(context, account.id)
    return true
  } catch (error) {
    if (!signal.aborted) log.warn({ carrier: account.name, err: asError(error) }, 'phones.not_listed')
    return false
  }
}

function notLaterThanNow(phone: PhoneState): PhoneState {
  return { ...phone, contactAt: new Date(Math.min(phone.contactAt.getTime(), Date.now())) }
}
