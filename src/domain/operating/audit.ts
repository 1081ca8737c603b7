import {
  countAuditRows,
  insertAuditRow,
  insertAuditRowOnce,
  listAuditRows,
  type AuditDetails,
  type AuditFilter,
  type AuditRow,
  type ListedAuditRow,
} from '../../database/operating/audit-log.js'
import type { Database } from '../../database/connection.js'
import type { Page } from '../../database/lists.js'
import { newId } from '../../ids.js'
import { sha256 } from '../../secrets.js'
import type { Action } from './audit/actions.js'
import type { Context } from '../context.js'
import { eachRow } from '../each-row.js'

export type { AuditDetails, AuditFilter, ListedAuditRow } from '../../database/operating/audit-log.js'

/** An action; the context has its actor. */
export interface Act {
  action: Action
  /** If omitted, nothing in particular. */
  subjectId?: string | null
  /** The user whose data they are; left out if they belong to no user. */
  userId?: string | null
  before?: AuditDetails | undefined
  after?: AuditDetails | undefined
  /** Details of the subject, which are recorded whatever has changed. */
  about?: AuditDetails | undefined
}

type WithActor = Pick<Context, 'actor'>

/**
 * Records an action in the transaction that performs it, so that neither exists without the other. A change that
 * changed nothing (there is a `before`, and all of `after` is in it) is not recorded. Otherwise, only the differences
 * are stored.
 *
 * Never give it a secret, a text or a person's number: what is written here cannot be removed.
 */
export async function record(context: WithActor, trx: Database, act: Act): Promise<void> {
  const row = rowOf(context, act)
  if (row !== undefined) await insertAuditRow(trx, row)
}

/**
 * Does the same as `record` for actions that are often repeated but count once, such as a look or a refusal. It writes
 * no second row of the same actor for the same subject within this many minutes.
 */
export async function recordOnce(context: WithActor & Pick<Context, 'db'>, act: Act, withinMinutes: number) {
  const row = rowOf(context, act)
  if (row !== undefined) await insertAuditRowOnce(context.db, row, withinMinutes)
}

const VIEW_MINUTES = 10

/**
 * Records that an operator looks at another user's data; one look counts for ten minutes. Looking at one's own data
 * is not recorded.
 */
export async function recordView(
  context: WithActor & Pick<Context, 'db'>,
  action: 'user.viewed' | 'message.viewed' | 'audit_log.viewed' | 'user.person.found',
  userId: string | null,
  subjectId = userId,
  after?: AuditDetails,
): Promise<void> {
  if (userId !== null && userId === context.actor.userId) return
  await recordOnce(context, { action, subjectId, userId, after }, VIEW_MINUTES)
}

/** Lists the newest first. */
export function listAudit({ db }: Context, filter: AuditFilter, page: Page): Promise<ListedAuditRow[]> {
  return listAuditRows(db, filter, page)
}

/** True if more rows match the filter than this. */
export async function isAuditLongerThan(
  { db }: Context,
  filter: AuditFilter,
  count: number,
): Promise<boolean> {
  return (await countAuditRows(db, filter, count + 1)) > count
}

/** Yields all rows that match the filter, newest first, batch by batch, as fast as they are taken. */
export function readAudit({ db }: Context, filter: AuditFilter): AsyncGenerator<ListedAuditRow> {
  return eachRow(
    (page) => listAuditRows(db, filter, page),
    ({ id }) => id,
  )
}

/**
 * Masks a URL for the record, because many have a secret in their path or query. It ends with a few characters of the
 * URL's hash, which distinguish two URLs of one host.
 */
export function maskUrl(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null
  return `${new URL(url).origin}/…#${sha256(url).toString('hex').slice(0, 8)}`
}

function rowOf({ actor }: WithActor, act: Act): AuditRow | undefined {
  const { action, subjectId = null, userId = null, about } = act
  const changed = differing(act.before, act.after)
  if (changed === undefined) return undefined
  const after = about === undefined ? changed.after : { ...about, ...changed.after }
  return {
    id: newId(),
    actorKind: actor.kind,
    actorId: actor.userId,
    credentialId: actor.credentialId,
    address: actor.address,
    action,
    subjectId,
    userId,
    before: changed.before === undefined ? null : bounded(changed.before),
    after: after === undefined ? null : bounded(after),
  }
}

/** @returns undefined if nothing differs */
function differing(before?: AuditDetails, after?: AuditDetails): Pick<Act, 'before' | 'after'> | undefined {
  if (before === undefined || after === undefined) return { before, after }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  if (names.length === 0) return undefined
  const pick = (details: AuditDetails) =>
    Object.fromEntries(names.flatMap((name) => (name in details ? [[name, details[name] ?? null]] : [])))
  return { before: pick(before), after: pick(after) }
}

const MAX_TEXT_LENGTH = 300
const MAX_LIST_LENGTH = 50

function bounded(details: AuditDetails): AuditDetails {
  const shorten = (text: string) => text.slice(0, MAX_TEXT_LENGTH)
  const kept: AuditDetails = {}
  for (const [name, value] of Object.entries(details)) {
    if (typeof value === 'string') kept[name] = shorten(value)
    else if (typeof value !== 'object' || value === null) kept[name] = value
    else kept[name] = value.slice(0, MAX_LIST_LENGTH).map(shorten)
  }
  return kept
}
