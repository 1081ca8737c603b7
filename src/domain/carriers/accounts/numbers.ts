import type { CarrierNumber } from '../../../carriers/carrier.js'
import type { CarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import { findLinesOfNumbers, type LineOfNumber } from '../../../database/lines/lines.js'
import { UserError } from '../../../errors.js'
import { record } from '../../operating/audit.js'
import { getCarrierClient } from '../carrier-clients.js'
import type { Context } from '../../context.js'
import { addLine, readLimits, type LineLimits, type NewLine } from '../../lines/lines.js'
import { asName } from '../../names.js'
import { asSender } from '../../lines/senders.js'
import { listCallbackUrls, type CallbackUrl } from '../callback-urls.js'
import { askCarrier } from './ask-carrier.js'

export interface AccountNumber extends CarrierNumber {
  /** undefined if it is not a line yet. The line may be at another account. */
  line: LineOfNumber | undefined
}

/** The result for a number to be made a line. */
export type ImportResult = { number: string } & (
  | { outcome: 'added'; lineId: string }
  | { outcome: 'is_a_line' }
  | { outcome: 'refused'; reason: string }
)

/**
 * Lists the account's numbers according to the carrier.
 *
 * @throws UserError 409 with the fault, in words
 */
export async function listAccountNumbers(
  context: Context,
  account: CarrierAccount,
): Promise<AccountNumber[]> {
  const numbers = await askCarrier(context, account, async (carrier, signal) => carrier.listNumbers?.(signal))
  if (numbers === undefined) {
    throw new UserError(
      `${account.name} cannot list its numbers. Add each one with \`linehook line add\``,
      409,
    )
  }
  const lines = await findLinesOfNumbers(
    context.db,
    numbers.map(({ number }) => number),
  )
  const byNumber = new Map(lines.map((line) => [line.number, line]))
  return numbers.map((each) => ({ ...each, line: byNumber.get(each.number) }))
}

/**
 * Makes lines of a user from the account's numbers: from the named ones, or from all that are not lines yet.
 *
 * @throws UserError 400 naming the limit, 409 if the carrier cannot list the numbers
 */
export async function importNumbers(
  context: Context,
  account: CarrierAccount,
  {
    userId,
    numbers,
    ...limits
  }: { userId: string; numbers: readonly string[] | 'all' } & Pick<NewLine, keyof LineLimits>,
): Promise<ImportResult[]> {
  const owner = { userId, ...readLimits(limits) }
  const offered = await listAccountNumbers(context, account)
  const free = offered.filter(({ line }) => line === undefined).map(({ number }) => number)
  const results: ImportResult[] = []
  for (const number of numbers === 'all' ? free : distinct(numbers)) {
    results.push(await importNumber(context, account, owner, { number, offered }))
  }
  return results
}

/** The user who gets the lines, and what they may send. */
type Owner = Pick<NewLine, 'userId' | keyof LineLimits>

async function importNumber(
  context: Context,
  account: CarrierAccount,
  owner: Owner,
  { number, offered }: { number: string; offered: readonly AccountNumber[] },
): Promise<ImportResult> {
  const found = offered.find((each) => each.number === number)
  if (found === undefined) {
    return { number, outcome: 'refused', reason: `${account.name} has no such number` }
  }
  return found.line === undefined
    ? importOffered(context, account, owner, found)
    : { number, outcome: 'is_a_line' }
}

/** Makes a line of the user from a number that the account has, and that is not a line yet. */
export async function importOffered(
  context: Context,
  account: CarrierAccount,
  owner: Owner,
  { number, name: nameThere }: Pick<AccountNumber, 'number' | 'name'>,
): Promise<ImportResult> {
  const name = asName(nameThere)
  try {
    const { id } = await addLine(context, {
      ...owner,
      number,
      carrierAccount: account.name,
      ...(name === undefined ? {} : { name }),
    })
    return { number, outcome: 'added', lineId: id }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { number, outcome: 'refused', reason: error.message }
  }
}

/** The carrier has no API for entering our URLs. They may be secret, so the message does not contain them. */
export class SetUpByHand extends UserError {
  constructor(
    { name }: Pick<CarrierAccount, 'name'>,
    readonly urls: CallbackUrl[],
  ) {
    super(
      `${name} cannot set up its callbacks by API. Enter its callback URLs in the carrier's dashboard`,
      409,
    )
  }
}

async function cannotSetUp(context: Context, account: CarrierAccount): Promise<UserError> {
  const urls = await listCallbackUrls(context, account)
  return urls.length > 0
    ? new SetUpByHand(account, urls)
    : new UserError(`${account.name} does not use callbacks, so its numbers need no setup`, 409)
}

/**
 * Lets the carrier call us about what the account's lines, or the named numbers, receive.
 *
 * @returns the numbers for which it now does
 * @throws UserError 409 with the fault, in words
 */
export async function setUpNumbers(
  context: Context,
  account: CarrierAccount,
  named?: readonly string[],
): Promise<string[]> {
  const carrier = await getCarrierClient(context, account)
  if (carrier.setUpNumbers === undefined) {
    throw await cannotSetUp(context, account)
  }
  const offered = await listAccountNumbers(context, account)
  const chosen =
    named === undefined
      ? offered.filter(({ line }) => line?.carrierAccount === account.name)
      : distinct(named).map((number) => getOffered(account, offered, number))
  if (chosen.length === 0)
    throw new UserError(`${account.name} has no lines yet. Import its numbers first`, 409)
  const numbers = chosen.map(({ id, number, name }) => ({ id, number, name }))
  await askCarrier(
    context,
    account,
    async (carrier, signal) => carrier.setUpNumbers?.(numbers, signal),
    numbers.length,
  )
  const done = chosen.map(({ number }) => number)
  await record(context, context.db, {
    action: 'carrier_account.numbers_set_up',
    subjectId: account.id,
    after: { numbers: done },
  })
  return done
}

/** @throws UserError 409 */
export function getOffered(account: CarrierAccount, offered: readonly AccountNumber[], number: string) {
  const found = offered.find((each) => each.number === number)
  if (found === undefined) throw new UserError(`${account.name} has no number ${number}`, 409)
  return found
}

/** Returns each number once, in E.164; anything else stays as it was written. */
export function distinct(numbers: readonly string[]): string[] {
  return [...new Set(numbers.map(asSender))]
}
