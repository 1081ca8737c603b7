import type { CarrierAccount } from '../../database/carriers/carrier-accounts.js'
import { transaction } from '../../database/connection.js'
import type { Line } from '../../database/lines/lines.js'
import { isPaused, pauseRow, resumeRow, type PausableRow } from '../../database/operating/pauses.js'
import { UserError } from '../../errors.js'
import type { Endpoint } from '../endpoints/get-endpoint.js'
import { record, type Act } from './audit.js'
import type { Context } from '../context.js'
import { askOnPausedLine } from '../messages/send/raised-pace.js'

/** The person who pauses or resumes something. */
export interface Pauser {
  /** null for the command line. */
  userId: string | null
  isOperator: boolean
}

export const COMMAND_LINE: Pauser = { userId: null, isOperator: true }

/** Makes a user the one who pauses what they own. */
export function ownerOf(userId: string): Pauser {
  return { userId, isOperator: false }
}

/**
 * The owner of a pause. The line's owner and operators can resume what the owner paused; only operators can resume
 * what an operator paused.
 */
export type PauseOwner = 'owner' | 'operator'

export interface Pause {
  since: Date
  by: PauseOwner
}

/** @param row a line or an endpoint; null if it is not paused */
export function pauseOf(row: {
  userId: string
  pausedAt: Date | null
  pausedBy: string | null
}): Pause | null {
  const { userId, pausedAt, pausedBy } = row
  return pausedAt === null ? null : { since: pausedAt, by: pausedBy === userId ? 'owner' : 'operator' }
}

type Tools = Pick<Context, 'db' | 'log' | 'actor'>

/**
 * Pauses a line: nothing is sent with it until it is resumed, except the service's automatic answers. Messages are
 * accepted and wait, and expire as always. Receiving continues. A line that is already paused stays paused.
 */
export async function pauseLine(
  context: Context,
  by: Pauser,
  line: Pick<Line, 'id' | 'userId'>,
): Promise<void> {
  if (await pause(context, by, ofLine(line))) await askOnPausedLine(context, line.id)
}

/**
 * Resumes a line, whose waiting messages are sent soon.
 *
 * @throws UserError 403 if an operator has paused it, and a user asks
 */
export function resumeLine(context: Tools, by: Pauser, line: Pick<Line, 'id' | 'userId'>): Promise<void> {
  return resume(context, by, ofLine(line))
}

/** Lets an operator pause all lines at the account. */
export async function pauseCarrierAccount(
  context: Tools,
  by: Pauser,
  account: Pick<CarrierAccount, 'id'>,
): Promise<void> {
  await pause(context, by, ofCarrierAccount(account))
}

export function resumeCarrierAccount(
  context: Tools,
  by: Pauser,
  account: Pick<CarrierAccount, 'id'>,
): Promise<void> {
  return resume(context, by, ofCarrierAccount(account))
}

/** Lets an operator pause all lines. */
export async function pauseAllSending(context: Tools, by: Pauser): Promise<void> {
  await pause(context, by, ALL_SENDING)
}

/** Records that all sending is paused since a backup was restored, in whose transaction it was paused. */
export async function recordPausedByRestore(context: Tools): Promise<void> {
  await record(context, context.db, { action: 'sending.paused' })
  context.log.warn({ userId: null }, 'sending.paused')
}

export function resumeAllSending(context: Tools, by: Pauser): Promise<void> {
  return resume(context, by, ALL_SENDING)
}

/**
 * Pauses an endpoint: nothing is delivered until it is resumed, and events wait and use up no attempt. A new URL does
 * not change that.
 */
export async function pauseEndpoint(context: Tools, by: Pauser, endpoint: Endpoint): Promise<void> {
  await pause(context, by, ofEndpoint(endpoint))
}

/**
 * Resumes an endpoint, whose waiting events are delivered soon.
 *
 * @throws UserError 403 if an operator has paused it, and a user asks
 */
export function resumeEndpoint(context: Tools, by: Pauser, endpoint: Endpoint): Promise<void> {
  return resume(context, by, ofEndpoint(endpoint))
}

/** Something that can be paused: its row, its subject in the audit log, and its fields in the log. */
interface Pausable {
  row: PausableRow
  audited: 'line' | 'carrier_account' | 'sending' | 'endpoint'
  subjectId: string | null
  /** null if it belongs only to the operators. */
  userId: string | null
  about?: Act['about']
  logged: { name: 'line' | 'carrier' | 'sending' | 'endpoint'; entry: object }
}

function ofLine({ id, userId }: Pick<Line, 'id' | 'userId'>): Pausable {
  const logged = { name: 'line' as const, entry: { lineId: id } }
  return { row: { table: 'lines', id }, audited: 'line', subjectId: id, userId, logged }
}

function ofCarrierAccount({ id }: Pick<CarrierAccount, 'id'>): Pausable {
  const logged = { name: 'carrier' as const, entry: { accountId: id } }
  const row = { table: 'carrier_accounts' as const, id }
  return { row, audited: 'carrier_account', subjectId: id, userId: null, logged }
}

const ALL_SENDING: Pausable = {
  row: { table: 'all_sending' },
  audited: 'sending',
  subjectId: null,
  userId: null,
  logged: { name: 'sending', entry: {} },
}

function ofEndpoint({ id, lineId, applicationId, userId }: Endpoint): Pausable {
  const logged = { name: 'endpoint' as const, entry: { endpointId: id } }
  const row = { table: 'endpoints' as const, id }
  const subjectId = lineId ?? applicationId ?? userId
  return { row, audited: 'endpoint', subjectId, userId, about: { endpointId: id }, logged }
}

/** @returns false if it was already paused */
async function pause(context: Tools, by: Pauser, pausable: Pausable): Promise<boolean> {
  const { row, audited, subjectId, userId, about, logged } = pausable
  const isChanged = await transaction(context.db, async (trx) => {
    const isOwner = userId !== null && by.userId === userId
    if (!(await pauseRow(trx, row, { userId: by.userId, isOwner }))) return false
    await record(context, trx, { action: `${audited}.paused`, subjectId, userId, about })
    return true
  })
  if (isChanged) context.log.warn({ ...logged.entry, userId: by.userId }, `${logged.name}.paused`)
  return isChanged
}

async function resume(context: Tools, by: Pauser, pausable: Pausable): Promise<void> {
  const { row, audited, subjectId, userId, about, logged } = pausable
  const isChanged = await transaction(context.db, async (trx) => {
    if (!(await resumeRow(trx, row, { isOwner: !by.isOperator }))) return false
    await record(context, trx, { action: `${audited}.resumed`, subjectId, userId, about })
    return true
  })
  if (isChanged) context.log.info({ ...logged.entry, userId: by.userId }, `${logged.name}.resumed`)
  else if (!by.isOperator && (await isPaused(context.db, row))) throw new UserError(NOT_YOURS, 403)
}

const NOT_YOURS = 'An operator paused this. Ask your operator to resume it'
