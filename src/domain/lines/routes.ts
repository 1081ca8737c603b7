import { findCarrierAccount } from '../../database/carriers/carrier-accounts.js'
import { transaction } from '../../database/connection.js'
import { updateLineRoutes, type Line, type Route } from '../../database/lines/lines.js'
import { storable } from '../../database/text.js'
import { UserError } from '../../errors.js'
import { getCarrierClient, requireAccounts, notSetUp } from '../carriers/carrier-clients.js'
import type { Context } from '../context.js'
import { askOnChangedLine } from '../messages/send/raised-pace.js'
import { record } from '../operating/audit.js'
import { hintFor, isCountry } from './countries.js'
import { requireOwn } from './lines.js'

/** No line needs more accounts in practice; each is checked for every message of the line. */
const MAX_ROUTES = 10
/** There are about 250 countries. */
const MAX_NUMBERS_OF_ROUTE = 300

/**
 * Sets the accounts that a line tries before its own, in this order; with none, it sends only through its own account.
 * Waiting messages use the new routes.
 *
 * @throws UserError 400 naming the route, 404 if the user has no such line
 */
export async function setRoutes(
  context: Context,
  { userId, id }: Pick<Line, 'userId' | 'id'>,
  routes: readonly Route[],
): Promise<void> {
  if (routes.length > MAX_ROUTES) throw new UserError(`A line can have at most ${MAX_ROUTES} routes`)
  for (const { carrier } of routes) {
    const account = await findCarrierAccount(context.db, { name: carrier })
    if (account === undefined) throw notSetUp(carrier)
    await getCarrierClient(context, account)
  }
  const before = await transaction(context.db, async (trx) => {
    const before = await requireOwn(trx, userId, id)
    await requireAccounts(
      trx,
      routes.map(({ carrier }) => carrier),
    )
    await updateLineRoutes(trx, id, routes)
    const words = (each: readonly Route[]) => ({ routes: each.map(writeRoute) })
    const change = { before: words(before.routes), after: words(routes) }
    await record(context, trx, { action: 'line.routed', subjectId: id, userId, ...change })
    return before
  })
  await askOnChangedLine(context, id, [before.carrierAccount, ...before.routes.map(({ carrier }) => carrier)])
}

/**
 * Reads a route as people write it: `backup` takes all numbers, `backup:GB,IE,+4477` those of two countries and those
 * with a prefix.
 *
 * @throws UserError
 */
export function readRoute(written: string): Route {
  const [carrier = '', ...rest] = storable(written).split(':')
  const numbers = rest
    .join(':')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
  const prefixes = numbers.filter((each) => each.startsWith('+'))
  const countries = numbers.filter((each) => !each.startsWith('+')).map((each) => each.toUpperCase())
  const wrong = countries.find((each) => !isCountry(each))
  const fault =
    (carrier.trim() === '' && 'must start with the name of a carrier account') ||
    (rest.length > 0 && numbers.length === 0 && 'must list countries or prefixes after the colon') ||
    (numbers.length > MAX_NUMBERS_OF_ROUTE &&
      `must list at most ${MAX_NUMBERS_OF_ROUTE} countries and prefixes`) ||
    (!prefixes.every((each) => /^\+[1-9]\d{0,14}$/.test(each)) && 'must have prefixes such as +4477') ||
    (wrong !== undefined && 'must have ISO 3166 countries, such as GB')
  if (fault !== false)
    throw new UserError(`route ${written}: it ${fault}, as in backup:GB,IE,+4477${hintFor(wrong ?? '')}`)
  return {
    carrier: carrier.trim(),
    ...(countries.length > 0 && { countries }),
    ...(prefixes.length > 0 && { prefixes }),
  }
}

export function writeRoute({ carrier, countries = [], prefixes = [] }: Route): string {
  const numbers = [...countries, ...prefixes].join(',')
  return numbers === '' ? carrier : `${carrier}:${numbers}`
}

/** True if a line sends through an account, and so may receive through it (`is_line_at`). */
export function isLineAt({ carrierAccount, routes }: Line, account: string): boolean {
  return carrierAccount === account || routes.some(({ carrier }) => carrier === account)
}
