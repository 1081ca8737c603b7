import type { CarrierAccount } from '../database/carrier-accounts.js'
import type { Line } from '../database/lines.js'
import { isPaused, pauseRow, resumeRow, type PausableRow } from '../database/pauses.js'
import { UserError } from '../errors.js'
import type { Context } from './context.js'

/** Who pauses or resumes something. */
export interface Pauser {
  /** null: somebody at the command line. */
  userId: string | null
  isOperator: boolean
}

export const COMMAND_LINE: Pauser = { userId: null, isOperator: true }

/** For what is the user's own. */
export function ownerOf(userId: string): Pauser {
  return { userId, isOperator: false }
}

/** Whose pause it is. What the owner paused, owner and operators resume; what an operator paused, only operators do. */
export type PauseOwner = 'owner' | 'operator'

export interface Pause {
  since: Date
  by: PauseOwner
}

/** @param row of a line or an endpoint; null: it is not paused */
export function pauseOf(row: {
  userId: string
  pausedAt: Date | null
  pausedBy: string | null
}): Pause | null {
  const { userId, pausedAt, pausedBy } = row
  return pausedAt === null ? null : { since: pausedAt, by: pausedBy === userId ? 'owner' : 'operator' }
}

type Tools = Pick<Context, 'db' | 'log'>

/**
 * Nothing is sent with the line until somebody resumes it, but for what the service answers by itself. Messages are
 * accepted and wait, and expire as always. What the line receives goes on. A line that is paused stays so.
 */
export function pauseLine(context: Tools, by: Pauser, line: Pick<Line, 'id' | 'userId'>): Promise<void> {
  return pause(context, by, { table: 'lines', id: line.id }, line.userId)
}

/** What waits is sent soon. @throws UserError 403 when an operator has paused it, and another asks */
export function resumeLine(context: Tools, by: Pauser, line: Pick<Line, 'id'>): Promise<void> {
  return resume(context, by, { table: 'lines', id: line.id })
}

/** For operators: as `pauseLine`, for all lines at the account. */
export function pauseCarrierAccount(
  context: Tools,
  by: Pauser,
  { id }: Pick<CarrierAccount, 'id'>,
): Promise<void> {
  return pause(context, by, { table: 'carrier_accounts', id })
}

export function resumeCarrierAccount(
  context: Tools,
  by: Pauser,
  { id }: Pick<CarrierAccount, 'id'>,
): Promise<void> {
  return resume(context, by, { table: 'carrier_accounts', id })
}

/** For operators: as `pauseLine`, for all lines. */
export function pauseAllSending(context: Tools, by: Pauser): Promise<void> {
  return pause(context, by, { table: 'all_sending' })
}

export function resumeAllSending(context: Tools, by: Pauser): Promise<void> {
  return resume(context, by, { table: 'all_sending' })
}

/** Nothing is delivered until somebody resumes it: events wait and use up no attempt. */
export function pauseEndpoint(
  context: Tools,
  by: Pauser,
  { id, userId }: { id: string; userId: string },
): Promise<void> {
  return pause(context, by, { table: 'endpoints', id }, userId)
}

/** What waits is delivered soon. @throws UserError 403 when an operator has paused it, and another asks */
export function resumeEndpoint(context: Tools, by: Pauser, { id }: { id: string }): Promise<void> {
  return resume(context, by, { table: 'endpoints', id })
}

async function pause({ db, log }: Tools, by: Pauser, row: PausableRow, ownerId?: string): Promise<void> {
  const isPaused = await pauseRow(db, row, { userId: by.userId, isOwner: by.userId === ownerId })
  if (isPaused) log.warn(entryOf(row, by), `${NAMES[row.table]}.paused`)
}

async function resume({ db, log }: Tools, by: Pauser, row: PausableRow): Promise<void> {
  const isResumed = await resumeRow(db, row, { isOwner: !by.isOperator })
  if (isResumed) log.info(entryOf(row, by), `${NAMES[row.table]}.resumed`)
  else if (!by.isOperator && (await isPaused(db, row))) throw new UserError(NOT_YOURS, 403)
}

const NOT_YOURS = 'an operator has paused it: ask whoever runs this service to resume it'

/** What the log's events are called after. */
const NAMES = {
  lines: 'line',
  carrier_accounts: 'carrier',
  all_sending: 'sending',
  endpoints: 'endpoint',
} as const

function entryOf(row: PausableRow, { userId }: Pauser): object {
  switch (row.table) {
    case 'lines':
      return { lineId: row.id, userId }
    case 'carrier_accounts':
      return { accountId: row.id, userId }
    case 'endpoints':
      return { endpointId: row.id, userId }
    case 'all_sending':
      return { userId }
  }
}
