import type { Context as KoaContext } from 'koa'
import { getCarrierAccountById, type CarrierAccount } from '../../../domain/carrier-accounts.js'
import { importNumbers, setUpNumbers, type ImportResult } from '../../../domain/carrier-accounts/numbers.js'
import type { Context } from '../../../domain/context.js'
import { getUser } from '../../../domain/users.js'
import { UserError } from '../../../errors.js'
import { showCarrier } from '../carrier.js'
import { fieldOf, idOf, valuesOf } from '../form-values.js'
import { withNotice } from '../notices.js'
import type { Act } from '../page.js'
import { carrierPath } from './page-model.js'

/** What became of each number is in the answer, so no redirect follows; sent again it changes nothing. */
export function postImport(context: Context): Act {
  return async (ctx) => {
    const account = await getCarrierAccountById(context, idOf(ctx, 'accountId'))
    const numbers = valuesOf(ctx, 'number')
    if (numbers.length === 0) throw new UserError('tick at least one number')
    const { id: userId } = await getUser(context, fieldOf(ctx, 'userId'))
    const results = await importNumbers(context, account, { userId, numbers })
    const setUpFault = await setUpAdded(context, ctx, account, results)
    await showCarrier(context, { results, setUpFault })(ctx, () => Promise.resolve())
    return undefined
  }
}

/** @returns what is wrong, in words: the lines are there nevertheless */
async function setUpAdded(
  context: Context,
  ctx: KoaContext,
  account: CarrierAccount,
  results: readonly ImportResult[],
): Promise<string | undefined> {
  const added = results.filter(({ outcome }) => outcome === 'added').map(({ number }) => number)
  if (fieldOf(ctx, 'setUp') === '' || added.length === 0) return undefined
  try {
    await setUpNumbers(context, account, added)
    return undefined
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

export function postCarrierSetUp(context: Context): Act {
  return async (ctx) => {
    const account = await getCarrierAccountById(context, idOf(ctx, 'accountId'))
    await setUpNumbers(context, account)
    return withNotice(carrierPath(account.id), 'carrier-numbers-set-up')
  }
}
