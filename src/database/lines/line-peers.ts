import type { Database } from '../connection.js'
import { columnsOf, internal, type Row } from '../../shape.js'

/** What a line stores about another party's number. The owner's name for the number is in contacts. */
const FIELDS = {
  number: internal<string>('c.number'),
  optedOutAt: internal<Date | null>('c.opted_out_at'),
  /** If it is later than now, messages to the number wait until then. */
  pausedUntil: internal<Date | null>('c.paused_until'),
  archivedAt: internal<Date | null>('c.archived_at'),
}

export type Peer = Row<typeof FIELDS>

const COLUMNS = columnsOf(FIELDS)

/** The change that a keyword has made for a peer. */
export interface NotedKeyword {
  isOptedOut: boolean
  hasOptedOut: boolean
  hasOptedIn: boolean
  /** True if it asked for help, for the first time in 24 h. */
  wantsHelp: boolean
}

/**
 * Records a keyword that a number has sent to a line. HELP counts once in 24 h; otherwise two programs would never
 * stop.
 */
export async function noteKeyword(
  trx: Database,
  { lineId, number, keyword }: { lineId: string; number: string; keyword: 'stop' | 'start' | 'help' },
): Promise<NotedKeyword> {
  const { rows } = await trx.raw<{ rows: [NotedKeyword] }>(
    `with given as (select ?::text as keyword), before as (
       select * from line_peers where line_id = ? and number = ? for update
     )
     update line_peers c set
       opted_out_at = case keyword
         when 'stop' then coalesce(c.opted_out_at, now()) when 'start' then null else c.opted_out_at end,
       opted_in_at = case when keyword = 'start' and c.opted_out_at is not null then now() else c.opted_in_at end,
       help_answered_at = case
         when keyword = 'help' and (c.help_answered_at > now() - interval '24 hours') is not true then now()
         else c.help_answered_at end
     from given, before b where c.line_id = b.line_id and c.number = b.number
     returning c.opted_out_at is not null as "isOptedOut",
       b.opted_out_at is null and c.opted_out_at is not null as "hasOptedOut",
       b.opted_out_at is not null and c.opted_out_at is null as "hasOptedIn",
       c.help_answered_at is distinct from b.help_answered_at as "wantsHelp"`,
    [keyword, lineId, number],
  )
  return rows[0]
}

/**
 * Records an opt-out that a carrier or a user reported. It needs a transaction, whose `now()` shows whether the opt-out
 * is new.
 *
 * @returns true if it was not known
 */
export async function noteOptOut(trx: Database, lineId: string, number: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: [{ isNew: boolean }] }>(
    `insert into line_peers as c (line_id, number, opted_out_at) values (?, ?, now())
     on conflict (line_id, number) do update set opted_out_at = coalesce(c.opted_out_at, now())
     returning opted_out_at = now() as "isNew"`,
    [lineId, number],
  )
  return rows[0].isNew
}

/** True if the number has opted out of the line, or back in, since then. */
export async function hasChosenSince(
  db: Database,
  lineId: string,
  number: string,
  since: Date,
): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    'select 1 from line_peers where line_id = ? and number = ? and greatest(opted_out_at, opted_in_at) > ?',
    [lineId, number, since],
  )
  return rows.length > 0
}

/** Lets the message that confirms an opt-out go out, even though the number has opted out. */
export async function setOptOutAnswer(
  db: Database,
  lineId: string,
  number: string,
  messageId: string,
): Promise<void> {
  await db('line_peers').where({ line_id: lineId, number }).update({ opt_out_answer_id: messageId })
}

/** @returns undefined if the number has never written to the user's line */
export async function findPeer(
  db: Database,
  userId: string,
  lineId: string,
  number: string,
): Promise<Peer | undefined> {
  return peers(db, userId, lineId).where({ 'c.number': number }).first<Peer | undefined>(db.raw(COLUMNS))
}

/** Lists the numbers that have opted out of a user's line, in order of the numbers. */
export async function listOptedOut(
  db: Database,
  userId: string,
  lineId: string,
  { after, limit }: { after?: string; limit: number },
): Promise<(Peer & { optedOutAt: Date })[]> {
  return peers(db, userId, lineId)
    .whereNotNull('c.opted_out_at')
    .modify((query) => {
      if (after !== undefined) void query.where('c.number', '>', after)
    })
    .orderBy('c.number')
    .limit(limit)
    .select<(Peer & { optedOutAt: Date })[]>(db.raw(COLUMNS))
}

/** Lists the numbers with which a user's line is paused now. */
export async function listPaused(
  db: Database,
  userId: string,
  lineId: string,
  limit: number,
): Promise<(Peer & { pausedUntil: Date })[]> {
  return peers(db, userId, lineId)
    .where('c.paused_until', '>', db.fn.now())
    .orderBy('c.paused_until', 'desc')
    .limit(limit)
    .select<(Peer & { pausedUntil: Date })[]>(db.raw(COLUMNS))
}

function peers(db: Database, userId: string, lineId: string) {
  return db('line_peers as c')
    .join('lines as l', 'l.id', 'c.line_id')
    .where({ 'l.user_id': userId, 'l.id': lineId })
}
