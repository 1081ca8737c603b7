import type { CarrierClient } from '../../carriers/carrier.js'
import type { CarrierKind } from '../../carriers/kind.js'
import {
  takeAccountsToPoll,
  type Polled,
  type PolledAccount,
} from '../../database/carriers/polled-accounts.js'
import { asError } from '../../errors.js'
import type { Context } from '../context.js'
import { tryWaiting } from '../messages/send/recovery.js'
import { findCarrierClient } from './carrier-clients.js'

interface Polling {
  what: Polled
  /** The kinds of carriers that can be asked; defaults to all. */
  isFor?: (kind: CarrierKind) => boolean
  /** How soon an account is asked again. */
  everySeconds: number
  signal: AbortSignal
}

/**
 * Asks the carriers of all accounts that were not asked for a while, each by itself, so that one that hangs does not
 * hold up the others. A failure is logged, and the carrier is asked again next time. An answer is a sign of life.
 *
 * @param ask resolves to false if the carrier cannot be asked
 * @returns the number of accounts that answered
 */
export async function pollAccounts(
  context: Context,
  { what, isFor, everySeconds, signal }: Polling,
  ask: (carrier: CarrierClient, account: PolledAccount) => Promise<boolean>,
): Promise<number> {
  const kinds = isFor && [...context.carriers.kinds].flatMap(([name, kind]) => (isFor(kind) ? [name] : []))
  const accounts = await takeAccountsToPoll(context.db, what, kinds, everySeconds)
  const answered = await Promise.all(
    accounts.map(async (account) => {
      try {
        const carrier = await findCarrierClient(context, account)
        if (carrier === undefined || !(await ask(carrier, account))) return false
        await tryWaiting(context, account.id)
        return true
      } catch (error) {
        const about = { carrier: account.name, err: asError(error) }
        if (!signal.aborted) context.log.warn(about, `${what}.not_listed`)
        return false
      }
    }),
  )
  return answered.filter(Boolean).length
}
