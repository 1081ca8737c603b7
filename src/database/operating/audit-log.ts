import type { Knex } from 'knex'
import type { Database } from '../connection.js'
import { allOf, madeBetween, type Page } from '../lists.js'
import { toJson } from '../text.js'

/** The changes or results of an action; never a secret. */
export type AuditDetails = Record<string, string | number | boolean | null | readonly string[]>

export interface AuditRow {
  id: string
  actorKind: string
  actorId: string | null
  credentialId: string | null
  address: string | null
  action: string
  subjectId: string | null
  userId: string | null
  before: AuditDetails | null
  after: AuditDetails | null
}

/** A row with the names for its ids, if those still exist. */
export interface ListedAuditRow extends AuditRow {
  at: Date
  actorEmail: string | null
  userEmail: string | null
  /** The name of the application that acted. */
  applicationName: string | null
  /** An email address, a number or a name. */
  subjectName: string | null
}

export interface AuditFilter {
  actorId?: string | undefined
  /** If set, only these actions. */
  actions?: readonly string[] | undefined
  subjectId?: string | undefined
  userId?: string | undefined
  from?: Date | undefined
  until?: Date | undefined
}

const COLUMNS = `id, actor_kind, actor_id, credential_id, address, action, subject_id, user_id, before, after`
const VALUES = `:id::uuid, :actorKind::text, :actorId::uuid, :credentialId::uuid, :address::text, :action::text,
  :subjectId::uuid, :userId::uuid, :before::jsonb, :after::jsonb`

const LISTED = `a.id, a.at, a.actor_kind as "actorKind", a.actor_id as "actorId", actor.email as "actorEmail",
  a.credential_id as "credentialId", asking.name as "applicationName", a.address, a.action, a.subject_id as "subjectId",
  coalesce(user_subject.email, line_subject.number, application_subject.name, carrier_subject.name) as "subjectName",
  a.user_id as "userId", owner.email as "userEmail", a.before, a.after`

export async function insertAuditRow(db: Database, row: AuditRow): Promise<void> {
  await db.raw(`insert into audit_log (${COLUMNS}) values (${VALUES})`, bindingsOf(row))
}

/**
 * Writes the row unless there is a recent one like it: the same action by the same actor, credential and address, on
 * the same subject, no older than this.
 */
export async function insertAuditRowOnce(db: Database, row: AuditRow, withinMinutes: number): Promise<void> {
  await db.raw(
    `insert into audit_log (${COLUMNS})
     select ${VALUES} where not exists (
       select from audit_log a
       where a.action = :action and a.id >= lowest_id_at(now() - make_interval(mins => :withinMinutes))
         and a.actor_id is not distinct from :actorId::uuid and a.credential_id is not distinct from :credentialId::uuid
         and a.address is not distinct from :address::text and a.subject_id is not distinct from :subjectId::uuid)`,
    { ...bindingsOf(row), withinMinutes },
  )
}

interface OwnAct {
  action: string
  actorId: string | null
  credentialId: string | null
}

/** True if this session or token has done this to this subject within this many minutes. */
export async function hasRecentAct(
  db: Database,
  { subjectId, ...act }: OwnAct & { subjectId: string },
  withinMinutes: number,
): Promise<boolean> {
  return (await recent(db, act, withinMinutes).where({ subject_id: subjectId }).first('id')) !== undefined
}

/** Lists the subjects to which this session or token has done this within this many minutes. */
export async function listRecentSubjects(
  db: Database,
  act: OwnAct,
  withinMinutes: number,
): Promise<string[]> {
  return recent(db, act, withinMinutes).whereNotNull('subject_id').distinct().pluck<string[]>('subject_id')
}

/** Finds the reason that this session or token last gave for this within this many minutes. */
export async function findRecentReason(
  db: Database,
  act: OwnAct,
  withinMinutes: number,
): Promise<string | undefined> {
  const row = await recent(db, act, withinMinutes)
    .orderBy('id', 'desc')
    .first<{ reason: string | null } | undefined>(db.raw(`after ->> 'reason' as reason`))
  return row?.reason ?? undefined
}

function recent(db: Database, { action, actorId, credentialId }: OwnAct, withinMinutes: number) {
  return db('audit_log')
    .where({ action, actor_id: actorId, credential_id: credentialId })
    .whereRaw('id >= lowest_id_at(now() - make_interval(mins => ?))', [withinMinutes])
}

/** Lists the newest first. */
export async function listAuditRows(
  db: Database,
  filter: AuditFilter,
  { before, limit }: Page,
): Promise<ListedAuditRow[]> {
  const found = matching(db, filter).orderBy('id', 'desc').limit(limit)
  if (before !== undefined) void found.where('id', '<', before)
  return db
    .from(found.as('a'))
    .leftJoin('users as actor', 'actor.id', 'a.actor_id')
    .leftJoin('users as owner', 'owner.id', 'a.user_id')
    .leftJoin('applications as asking', 'asking.id', 'a.credential_id')
    .leftJoin('users as user_subject', 'user_subject.id', 'a.subject_id')
    .leftJoin('lines as line_subject', 'line_subject.id', 'a.subject_id')
    .leftJoin('applications as application_subject', 'application_subject.id', 'a.subject_id')
    .leftJoin('carrier_accounts as carrier_subject', 'carrier_subject.id', 'a.subject_id')
    .orderBy('a.id', 'desc')
    .select<ListedAuditRow[]>(db.raw(LISTED))
}

/** Counts up to `atMost`. */
export async function countAuditRows(db: Database, filter: AuditFilter, atMost: number): Promise<number> {
  const row = await db
    .from(matching(db, filter).clearSelect().select(db.raw('1')).limit(atMost).as('a'))
    .first<{ count: number }>(db.raw('count(*)::int as count'))
  return row.count
}

function matching(db: Database, filter: AuditFilter): Knex.QueryBuilder {
  const { actorId, actions, subjectId, userId, from, until } = filter
  const query = db('audit_log').select('*')
  for (const [column, value] of Object.entries({
    actor_id: actorId,
    subject_id: subjectId,
    user_id: userId,
  })) {
    if (value !== undefined) void query.where(column, value)
  }
  if (actions !== undefined) void query.whereIn('action', [...actions])
  const { sql, bindings } = allOf(madeBetween('audit_log.', { from, until }, 'at'))
  void query.whereRaw(`true${sql}`, bindings)
  return query
}

function bindingsOf({ before, after, ...row }: AuditRow) {
  return {
    ...row,
    before: before === null ? null : toJson(before),
    after: after === null ? null : toJson(after),
  }
}
