import type { Database } from '../connection.js'
import { countOf } from '../lists.js'
import { CONTACT_NUMBER } from '../messages/reading.js'
import { PERSON_TEXTS } from '../messages/text-lists.js'

/**
 * A person on some lines, limited to rows that are not newer than `until`: a person who returns later must not be
 * forgotten.
 */
export interface PersonOnLines {
  /** An E.164 number. */
  number: string
  lineIds: readonly string[]
  /** The end of the span by the clock of Postgres, to the microsecond (`readClock`). */
  until: string
}

/** Ids have the time of the process that made them, and its clock may differ. */
export async function readClock(db: Database): Promise<string> {
  const { rows } = await db.raw<{ rows: [{ now: string }] }>('select clock_timestamp()::text as now')
  return rows[0].now
}

/** The bindings of `PERSON_MESSAGES` and `PERSON_DELIVERIES`. */
export function personBindings({ number, lineIds, until }: PersonOnLines) {
  return { number, lineIds: [...lineIds], until }
}

const OLDER = `created_at <= :until::timestamptz`

/** The messages `m` with the person; a limit may follow. */
export const PERSON_MESSAGES = `unnest(:lineIds::uuid[]) l(id)
  join messages m on m.line_id = l.id and ${CONTACT_NUMBER} = :number and m.${OLDER}`

/** The deliveries `d` of events with the person. */
export const PERSON_DELIVERIES = `unnest(:lineIds::uuid[]) l(id)
  join deliveries d on d.line_id = l.id and d.from_number = :number and d.${OLDER}`

export interface PersonCounts {
  messages: number
  /** Copies, including those whose files are gone already. */
  media: number
  deliveries: number
  /** Rows of text lists, waiting or not. */
  listed: number
  /** Lines that know the number, and forget it. */
  peers: number
  /** Lines that they opted out of, which keep the opt-out. */
  optOuts: number
  /** Messages that the simulator's phone took. */
  simulated: number
  /** Users who have them as a contact. */
  named: number
}

export const NOBODY: PersonCounts = {
  messages: 0,
  media: 0,
  deliveries: 0,
  listed: 0,
  peers: 0,
  optOuts: 0,
  simulated: 0,
  named: 0,
}

/** Counts what some lines have about a person. */
export async function countPerson(
  db: Database,
  person: PersonOnLines,
): Promise<Omit<PersonCounts, 'simulated' | 'named'>> {
  const { rows } = await db.raw<{ rows: [Omit<PersonCounts, 'simulated' | 'named'>] }>(
    `select (select count(*)::integer from ${PERSON_MESSAGES}) as messages,
       (select count(*)::integer from ${PERSON_MESSAGES} join media x on x.message_id = m.id) as media,
       (select count(*)::integer from ${PERSON_DELIVERIES}) as deliveries,
       (select count(*)::integer from ${PERSON_TEXTS}) as listed, c.peers, c."optOuts"
     from (select count(*) filter (where opted_out_at is null)::integer as peers, count(opted_out_at)::integer as "optOuts"
           from line_peers where line_id = any (:lineIds::uuid[]) and number = :number) c`,
    personBindings(person),
  )
  return rows[0]
}

/**
 * Lists the users of the lines of this part that know the person: by a message, a delivery, a row of a text list, or
 * the facts that the line keeps about the number.
 */
export async function listUsersWith(db: Database, person: PersonOnLines): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { userId: string }[] }>(
    `select distinct o.user_id as "userId" from lines o
     where o.id = any (:lineIds::uuid[]) and (
       exists (select from messages m
         where m.line_id = o.id and ${CONTACT_NUMBER} = :number and m.${OLDER})
       or exists (select from deliveries d
         where d.line_id = o.id and d.from_number = :number and d.${OLDER})
       or exists (select from task_texts t join tasks w on w.id = t.task_id
         where w.line_id = o.id and t.to_number = :number)
       or exists (select from line_peers c where c.line_id = o.id and c.number = :number))`,
    personBindings(person),
  )
  return rows.map(({ userId }) => userId)
}

export async function countSimulated(db: Database, number: string): Promise<number> {
  return countOf(db, 'simulator_outbox where to_number = ?', [number])
}

/** Lists users' names for the number, and their blocks. */
export async function listNamings(
  db: Database,
  number: string,
): Promise<{ userId: string; name: string | null; blockedAt: Date | null }[]> {
  return db('contacts')
    .where({ number })
    .orderBy('id')
    .select({ userId: 'user_id', name: 'name', blockedAt: 'blocked_at' })
}

/** Counts the rows that a worker holds: they are over within a minute, and cannot be ended before. */
export async function countInHand(db: Database, person: PersonOnLines): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select ((select count(*) from ${PERSON_MESSAGES} where m.status in ('scheduled', 'queued', 'sending'))
       + (select count(*) from ${PERSON_DELIVERIES} where d.status in ('pending', 'delivering', 'held'))
       + (select count(*) from ${PERSON_MESSAGES} join media x on x.message_id = m.id
          where x.status in ('pending', 'fetching')))::integer as count`,
    personBindings(person),
  )
  return rows[0].count
}

/** Lists the facts that lines keep about the number. */
export async function listContactsOf(
  db: Database,
  { number, lineIds }: Pick<PersonOnLines, 'number' | 'lineIds'>,
): Promise<{ lineId: string; lineNumber: string; optedOutAt: Date | null; optedInAt: Date | null }[]> {
  return db('line_peers as c')
    .join('lines as l', 'l.id', 'c.line_id')
    .whereIn('c.line_id', [...lineIds])
    .where('c.number', number)
    .orderBy('c.line_id')
    .select({
      lineId: 'c.line_id',
      lineNumber: 'l.number',
      optedOutAt: 'c.opted_out_at',
      optedInAt: 'c.opted_in_at',
    })
}
