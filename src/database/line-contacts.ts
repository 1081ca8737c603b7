import type { Database } from './connection.js'
import { CONTACT_NUMBER } from './messages/reading.js'

/** What a line knows of a number at the other end. */
export interface Contact {
  number: string
  optedOutAt: Date | null
  /** Later than now: what waits for the number waits until then. */
  pausedUntil: Date | null
}

/** What has become of a contact by one message. */
export interface NotedContact {
  isOptedOut: boolean
  hasOptedOut: boolean
  hasOptedIn: boolean
  /** It asked for help, for the first time in 24 h. */
  wantsHelp: boolean
  isPaused: boolean
  hasPaused: boolean
}

/**
 * Notes that a number has written to a line: its window starts anew, unless the two are paused, and what it asked for
 * about being written to is kept. In a transaction, whose `now()` tells what is new.
 */
export async function noteContact(
  trx: Database,
  contact: {
    lineId: string
    number: string
    keyword: 'stop' | 'start' | 'help' | undefined
    pauseMs: number | undefined
  },
): Promise<NotedContact> {
  const { rows } = await trx.raw<{ rows: [NotedContact] }>(
    `with given as (
       select ?::uuid as line_id, ?::text as number, ?::text as keyword,
         now() + make_interval(secs => ?::float8 / 1000) as paused_until
     )
     insert into line_contacts as c (line_id, number, window_cleared_at, opted_out_at, help_answered_at, paused_until)
     select line_id, number, case when paused_until is null then clock_timestamp() end,
       case when keyword = 'stop' then now() end, case when keyword = 'help' then now() end, paused_until
     from given
     on conflict (line_id, number) do update set
       window_cleared_at = case when c.paused_until > now() then c.window_cleared_at
         else coalesce(excluded.window_cleared_at, c.window_cleared_at) end,
       opted_out_at = case (select keyword from given)
         when 'stop' then coalesce(c.opted_out_at, now()) when 'start' then null else c.opted_out_at end,
       opted_in_at = case when (select keyword from given) = 'start' and c.opted_out_at is not null then now()
         else c.opted_in_at end,
       help_answered_at = case when c.help_answered_at > now() - interval '24 hours' then c.help_answered_at
         else coalesce(excluded.help_answered_at, c.help_answered_at) end,
       paused_until = case when c.paused_until > now() then c.paused_until
         else coalesce(excluded.paused_until, c.paused_until) end
     returning opted_out_at is not null as "isOptedOut",
       coalesce(opted_out_at = now(), false) as "hasOptedOut", coalesce(opted_in_at = now(), false) as "hasOptedIn",
       coalesce(help_answered_at = now(), false) as "wantsHelp", coalesce(paused_until > now(), false) as "isPaused",
       coalesce(paused_until = (select paused_until from given), false) as "hasPaused"`,
    [contact.lineId, contact.number, contact.keyword ?? null, contact.pauseMs ?? null],
  )
  return rows[0]
}

/**
 * Notes an opt-out that somebody else knows of. In a transaction, whose `now()` tells what is new.
 *
 * @returns whether it was not known
 */
export async function noteOptOut(trx: Database, lineId: string, number: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: [{ isNew: boolean }] }>(
    `insert into line_contacts as c (line_id, number, opted_out_at) values (?, ?, now())
     on conflict (line_id, number) do update set opted_out_at = coalesce(c.opted_out_at, now())
     returning opted_out_at = now() as "isNew"`,
    [lineId, number],
  )
  return rows[0].isNew
}

/** Whether the number has opted out of the line, or back in, since then. */
export async function hasChosenSince(
  db: Database,
  lineId: string,
  number: string,
  since: Date,
): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    'select 1 from line_contacts where line_id = ? and number = ? and greatest(opted_out_at, opted_in_at) > ?',
    [lineId, number, since],
  )
  return rows.length > 0
}

/** The message that confirms an opt-out may go out although it is one. */
export async function setOptOutAnswer(
  db: Database,
  lineId: string,
  number: string,
  messageId: string,
): Promise<void> {
  await db('line_contacts').where({ line_id: lineId, number }).update({ opt_out_answer_id: messageId })
}

/** When a line and a number last wrote to each other, by the clock that says `now`; no further back than two minutes. */
export async function findRecentTraffic(
  db: Database,
  lineId: string,
  number: string,
): Promise<{ now: Date; inboundAt: Date[]; outboundAt: Date[] }> {
  const { rows } = await db.raw<{ rows: [{ now: Date; inboundAt: Date[]; outboundAt: Date[] }] }>(
    `select clock_timestamp() as now,
       coalesce(array_agg(at) filter (where direction = 'inbound'), '{}') as "inboundAt",
       coalesce(array_agg(at) filter (where direction = 'outbound'), '{}') as "outboundAt"
     from (
       select direction, case direction when 'inbound' then created_at else coalesce(sent_at, claimed_at) end as at
       from messages m
       where m.line_id = ? and ${CONTACT_NUMBER} = ? and m.id >= lowest_id_at(now() - interval '2 minutes')
         and m.status in ('received', 'sending', 'sent', 'delivered', 'unknown')
       order by m.id desc limit 200) recent`,
    [lineId, number],
  )
  return rows[0]
}

/** undefined: the number has never written to the user's line. */
export async function findContact(
  db: Database,
  userId: string,
  lineId: string,
  number: string,
): Promise<Contact | undefined> {
  return contacts(db, userId, lineId).where({ 'c.number': number }).first<Contact | undefined>(COLUMNS)
}

/** The numbers that have opted out of a user's line, in order of the numbers. */
export async function listOptedOut(
  db: Database,
  userId: string,
  lineId: string,
  { after, limit }: { after?: string; limit: number },
): Promise<(Contact & { optedOutAt: Date })[]> {
  return contacts(db, userId, lineId)
    .whereNotNull('c.opted_out_at')
    .modify((query) => {
      if (after !== undefined) void query.where('c.number', '>', after)
    })
    .orderBy('c.number')
    .limit(limit)
    .select<(Contact & { optedOutAt: Date })[]>(COLUMNS)
}

/** The numbers with which a user's line is paused now. */
export async function listPaused(
  db: Database,
  userId: string,
  lineId: string,
  limit: number,
): Promise<(Contact & { pausedUntil: Date })[]> {
  return contacts(db, userId, lineId)
    .where('c.paused_until', '>', db.fn.now())
    .orderBy('c.paused_until', 'desc')
    .limit(limit)
    .select<(Contact & { pausedUntil: Date })[]>(COLUMNS)
}

function contacts(db: Database, userId: string, lineId: string) {
  return db('line_contacts as c')
    .join('lines as l', 'l.id', 'c.line_id')
    .where({ 'l.user_id': userId, 'l.id': lineId })
}

const COLUMNS = { number: 'c.number', optedOutAt: 'c.opted_out_at', pausedUntil: 'c.paused_until' }
