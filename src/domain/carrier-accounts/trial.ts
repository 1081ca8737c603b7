import { recordCarrierTest, type CarrierAccount } from '../../database/carrier-accounts.js'
import { available } from '../../database/connection.js'
import { storable } from '../../database/text.js'
import { UserError } from '../../errors.js'
import type { Context } from '../context.js'
import { askCarrier } from './ask.js'

const MAX_FAULT_LENGTH = 1000

export type CarrierTestResult = { ok: true } | { ok: false; fault: string }

/** Tries the account without sending anything; the result is kept with it. `fault` says in words what is wrong. */
export async function testCarrierAccount(
  context: Context,
  account: CarrierAccount,
): Promise<CarrierTestResult> {
  const startedAt = performance.now()
  const fault = await findFault(context, account)
  await available(() => recordCarrierTest(context.db, account, fault ?? null))
  const durationMs = Math.round(performance.now() - startedAt)
  const outcome = fault === undefined ? 'ok' : 'faulty'
  context.log.info({ carrierAccountId: account.id, outcome, durationMs }, 'carrier_account.tested')
  return fault === undefined ? { ok: true } : { ok: false, fault }
}

async function findFault(context: Context, account: CarrierAccount): Promise<string | undefined> {
  try {
    const fault = await askCarrier(context, account, (carrier, signal) => carrier.test(signal))
    return fault === undefined ? undefined : storable(fault).slice(0, MAX_FAULT_LENGTH)
  } catch (error) {
    if (error instanceof UserError) return storable(error.message).slice(0, MAX_FAULT_LENGTH)
    throw error
  }
}
