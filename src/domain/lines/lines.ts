import { findCarrierAccount } from '../../database/carriers/carrier-accounts.js'
import {
  findAnyLine,
  findLineByNumber,
  insertLine,
  listLinesOf,
  lockOwnLine,
  updateLineName,
  updateLineStatus,
  type Line,
  type LineFilter,
  type LineStatus,
  type OwnLine,
} from '../../database/lines/lines.js'
import { transaction, type Database } from '../../database/connection.js'
import { storable } from '../../database/text.js'
import { UserError } from '../../errors.js'
import { isId, newId } from '../../ids.js'
import { record } from '../operating/audit.js'
import { getCarrierClient, requireAccounts, notSetUp } from '../carriers/carrier-clients.js'
import type { Context } from '../context.js'
import { listPausedCountries } from '../messages/country-guard.js'
import { endBeforeEnabling } from '../messages/send/end-on-disabled-lines.js'
import { readName, readOptionalName } from '../names.js'
import { readAllowedCountries } from './countries.js'
import { asSender, readSender } from './senders.js'

/** No carrier takes this many from one number. Each message in the window is counted for every new one. */
const MAX_PER_MINUTE = 100_000

export interface NewLine {
  userId: string
  /**
   * The number as people write it: a phone number in E.164 format, a short code, a name, or a service of the carrier.
   */
  number: string
  /** An ISO 3166 code; a short code needs it. */
  country?: string
  name?: string
  /** The name of its carrier account. */
  carrierAccount: string
  /** ISO 3166 codes; null for all countries. */
  allowedCountries?: string[] | null
  messagesPerNumberPerMinute?: number
  messagesPerMinute?: number
}

/** Where and how fast a line may send. */
export type LineLimits = Pick<Line, 'allowedCountries' | 'messagesPerNumberPerMinute' | 'messagesPerMinute'>

/** @throws UserError naming the field */
export async function addLine(context: Context, fields: NewLine): Promise<Line> {
  const { db } = context
  const account = await findCarrierAccount(db, { name: storable(fields.carrierAccount) })
  const sender = readSender(fields.number, fields.country, account?.kind)
  if (account === undefined) throw notSetUp(fields.carrierAccount)
  await getCarrierClient(context, account)
  const details = {
    number: sender.number,
    name: readOptionalName(fields.name) ?? sender.number,
    carrierAccount: fields.carrierAccount,
    status: 'active' as const,
    country: sender.country,
    ...readLimits(fields),
  }
  const line: Line = {
    ...{
      id: newId(),
      userId: fields.userId,
      ...details,
      routes: [],
      shortCodes: null,
      pausedAt: null,
      pausedBy: null,
    },
    pausedCountries: await pausedCountriesFor(context, fields.userId, details),
  }
  await transaction(db, async (trx) => {
    await requireAccounts(trx, [line.carrierAccount])
    if (!(await insertLine(trx, line))) {
      throw new UserError(`number ${line.number} already belongs to a line`, 409)
    }
    const { id, userId } = line
    await record(context, trx, { action: 'line.added', subjectId: id, userId, after: details })
  })
  return line
}

/** A user's new line gets the same paused countries as the others. */
export async function pausedCountriesFor(
  context: Pick<Context, 'db'>,
  userId: string,
  { country, allowedCountries }: Pick<Line, 'country' | 'allowedCountries'>,
): Promise<string[] | null> {
  if (allowedCountries !== null) return null
  const paused = (await listPausedCountries(context, userId)).map((pause) => pause.country)
  const others = paused.filter((each) => each !== country)
  return others.length === 0 ? null : others
}

/**
 * Returns a line by its id or its number, for operators.
 *
 * @throws UserError 404
 */
export async function getAnyLine({ db }: Context, reference: string): Promise<Line> {
  const line = isId(reference)
    ? await findAnyLine(db, reference)
    : await findLineByNumber(db, storable(asSender(reference)))
  if (line === undefined)
    throw new UserError(`No line has the ID or number ${reference}. See \`linehook line list\``, 404)
  return line
}

/** Lists the user's lines, oldest first. A filter that no line can match gives an empty list. */
export async function listOwnLines(
  { db }: Pick<Context, 'db'>,
  userId: string,
  { id, phoneNumber, name }: { id?: string; phoneNumber?: string; name?: string } = {},
): Promise<OwnLine[]> {
  if (id !== undefined && !isId(id)) return []
  const filter: LineFilter = {
    ...(id === undefined ? {} : { id }),
    ...(phoneNumber === undefined ? {} : { number: storable(asSender(phoneNumber)) }),
    ...(name === undefined ? {} : { name: storable(name) }),
  }
  return listLinesOf(db, userId, filter)
}

/** @throws UserError 404, also for another user's line */
export async function getOwnLine(
  context: Pick<Context, 'db'>,
  userId: string,
  lineId: string,
): Promise<OwnLine> {
  const [line] = await listOwnLines(context, userId, { id: lineId })
  if (line === undefined) throw new UserError('No such line', 404)
  return line
}

/** @throws UserError 400, 404 */
export async function renameLine(
  context: Context,
  userId: string,
  lineId: string,
  written: string,
): Promise<void> {
  const name = readName(written)
  await transaction(context.db, async (trx) => {
    const before = await requireOwn(trx, userId, lineId)
    await updateLineName(trx, lineId, name)
    await record(context, trx, {
      action: 'line.renamed',
      subjectId: lineId,
      userId,
      before: { name: before.name },
      after: { name },
    })
  })
}

/**
 * A disabled line sends nothing: its webhook returns 404, and its waiting and scheduled messages fail as `line_disabled`,
 * which `maintenance` does within a second or two (`endOnDisabledLines`).
 *
 * @throws UserError 404 if the user has no such line
 */
export async function setLineStatus(
  context: Context,
  userId: string,
  lineId: string,
  status: LineStatus,
): Promise<void> {
  if (status === 'active') {
    await requireOwn(context.db, userId, lineId)
    await endBeforeEnabling(context, lineId)
  }
  await transaction(context.db, async (trx) => {
    const before = await requireOwn(trx, userId, lineId)
    await updateLineStatus(trx, lineId, status)
    await record(context, trx, {
      action: status === 'active' ? 'line.enabled' : 'line.disabled',
      subjectId: lineId,
      userId,
      before: { status: before.status },
      after: { status },
    })
  })
}

export async function requireOwn(trx: Database, userId: string, lineId: string): Promise<Line> {
  const line = isId(lineId) ? await lockOwnLine(trx, userId, lineId) : undefined
  if (line === undefined) throw new UserError('No such line', 404)
  return line
}

/** @throws UserError naming the field */
export function readLimits(
  written: Pick<NewLine, 'allowedCountries' | 'messagesPerNumberPerMinute' | 'messagesPerMinute'>,
): LineLimits {
  const { allowedCountries, messagesPerNumberPerMinute = 5, messagesPerMinute = 30 } = written
  return {
    allowedCountries: readAllowedCountries(allowedCountries),
    messagesPerNumberPerMinute: readLimit('messagesPerNumberPerMinute', messagesPerNumberPerMinute),
    messagesPerMinute: readLimit('messagesPerMinute', messagesPerMinute),
  }
}

function readLimit(field: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= MAX_PER_MINUTE) return value
  throw new UserError(`${field} must be a whole number from 1 to ${MAX_PER_MINUTE}`)
}
