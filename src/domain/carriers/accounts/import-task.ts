import type { CarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import { findLinesOfNumbers } from '../../../database/lines/lines.js'
import { advanceTask, type ClaimedTask } from '../../../database/operating/tasks.js'
import { UserError } from '../../../errors.js'
import type { Actor } from '../../operating/audit/actor.js'
import { getCarrierAccountById } from '../carrier-accounts.js'
import { actingAs, type Context } from '../../context.js'
import type { Batch } from '../../operating/tasks/batch.js'
import { addTask, type Task } from '../../operating/tasks.js'
import { distinct, getOffered, importOffered, listAccountNumbers, setUpNumbers } from './numbers.js'

/** A user waits for this many; more are a background task. */
export const IMPORT_AT_ONCE = 100

const BATCH = 20

/** The contents of the task's row. */
interface Asked {
  accountId: string
  /** The user who gets the lines. */
  ownerId: string
  numbers: { number: string; name: string }[]
  setUp: boolean
  /** The actor that the audit log names. */
  actor: Actor
}

/**
 * Starts a background task that makes lines from the account's numbers, and then, if requested, lets the carrier call
 * us for them.
 *
 * @throws UserError 409 if the carrier does not list each of the numbers, or too many tasks are under way
 */
export async function startImport(
  context: Context,
  account: CarrierAccount,
  { userId, numbers, setUp }: { userId: string; numbers: readonly string[]; setUp: boolean },
): Promise<Task> {
  const offered = await listAccountNumbers(context, account)
  const asked: Asked = {
    accountId: account.id,
    ownerId: userId,
    numbers: distinct(numbers).map((number) => {
      const { name } = getOffered(account, offered, number)
      return { number, name }
    }),
    setUp,
    actor: context.actor,
  }
  const totalCount = asked.numbers.length
  return addTask(
    context,
    {
      kind: 'import',
      userId: context.actor.userId,
      lineId: null,
      applicationId: null,
      asked,
      totalCount,
    },
    {
      action: 'carrier_account.import_started',
      subjectId: account.id,
      userId,
      after: { count: totalCount, setUp },
    },
  )
}

/**
 * Imports the next numbers of such a task (`tasks/run.ts`). If it runs twice, the numbers are already lines.
 *
 * @throws UserError
 */
export async function importBatch(context: Context, task: ClaimedTask): Promise<Batch> {
  const { accountId, ownerId, numbers, setUp, actor } = task.asked as Asked
  const asOperator = actingAs(context, actor)
  const account = await getCarrierAccountById(context, accountId)
  const doneBefore = task.doneCount + task.failedCount
  const batch = numbers.slice(doneBefore, doneBefore + BATCH)
  const lines = await findLinesOfNumbers(
    context.db,
    batch.map(({ number }) => number),
  )
  const free = batch.filter(({ number }) => !lines.some((line) => line.number === number))
  const refused: string[] = []
  for (const offered of free) {
    const result = await importOffered(asOperator, account, { userId: ownerId }, offered)
    if (result.outcome === 'refused') refused.push(result.reason)
  }
  const isLast = doneBefore + batch.length >= numbers.length
  // This comes before the last batch is recorded: if the process dies in between, the carrier is asked again.
  const fault = isLast && setUp ? await setUpLines(asOperator, account, numbers) : undefined
  await advanceTask(context.db, task, {
    position: task.position,
    doneCount: batch.length - refused.length,
    failedCount: refused.length,
    ...(refused.length === 0 ? {} : { lastFailure: refused.at(-1) ?? '' }),
  })
  return { count: batch.length, isLast, waitMs: 0, ...(fault === undefined ? {} : { error: fault }) }
}

/**
 * Sets up those numbers that are lines of the account now.
 *
 * @returns the fault, in words
 */
async function setUpLines(
  context: Context,
  account: CarrierAccount,
  numbers: Asked['numbers'],
): Promise<string | undefined> {
  const asked = new Set(numbers.map(({ number }) => number))
  try {
    const lines = (await listAccountNumbers(context, account)).filter(
      ({ number, line }) => asked.has(number) && line?.carrierAccount === account.name,
    )
    if (lines.length === 0) return undefined
    await setUpNumbers(
      context,
      account,
      lines.map(({ number }) => number),
    )
    return undefined
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return `The lines were added, but callbacks are not set up yet: ${error.message}`
  }
}
