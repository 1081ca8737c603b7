import { CarrierRefused, type CarrierClient } from '../../../carriers/carrier.js'
import type { CarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import { asError, UserError } from '../../../errors.js'
import { getCarrierClient } from '../carrier-clients.js'
import type { Context } from '../../context.js'

/**
 * Asks an account's carrier for something that is not a message. Each of the `stepCount` steps may take as long as
 * sending a message; then the wait ends, even if the carrier's code ignores its signal.
 *
 * @throws UserError 409 with the fault, in words
 */
export async function askCarrier<Answer>(
  context: Context,
  account: CarrierAccount,
  ask: (carrier: CarrierClient, signal: AbortSignal) => Promise<Answer>,
  stepCount = 1,
): Promise<Answer> {
  const { log, config } = context
  const carrier = await getCarrierClient(context, account)
  const limitMs = config.carrierTimeoutMs * stepCount
  const signal = AbortSignal.timeout(limitMs)
  try {
    return await Promise.race([ask(carrier, signal), rejectOn(signal)])
  } catch (error) {
    if (error instanceof UserError) throw error
    if (signal.aborted) throw new UserError(`No response within ${limitMs / 1000} s`, 409)
    if (error instanceof CarrierRefused) throw new UserError(error.message, 409)
    log.error({ carrierAccountId: account.id, err: asError(error) }, 'carrier.unexpected_error')
    throw new UserError('Unexpected error. See carrier.unexpected_error in the log', 409)
  }
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new CarrierRefused('no response in time'))
    })
  })
}
