import type { Database } from '../connection.js'
import { storable } from '../text.js'
import { columnsOf, internal, type Row } from '../../shape.js'

export type LineStatus = 'active' | 'disabled'

/**
 * An account that a line may send through; with neither countries (ISO 3166) nor prefixes (`+4477`), it takes all
 * numbers.
 */
export interface Route {
  carrier: string
  countries?: string[]
  prefixes?: string[]
}

const LINE_FIELDS = {
  id: internal<string>('id'),
  userId: internal<string>('user_id'),
  number: internal<string>('number'),
  name: internal<string>('name'),
  /** The name of its carrier account. */
  carrierAccount: internal<string>('carrier'),
  /** Accounts that it tries before its own, in order. */
  routes: internal<Route[]>('routes'),
  status: internal<LineStatus>('status'),
  country: internal<string | null>('country'),
  /** Short codes that it may text; null if there are none. */
  shortCodes: internal<string[] | null>('short_codes'),
  allowedCountries: internal<string[] | null>('allowed_countries'),
  /** Countries to which messages are refused for now, after a sudden rise; null if there are none. */
  pausedCountries: internal<string[] | null>('paused_countries'),
  messagesPerNumberPerMinute: internal<number>('messages_per_number_per_minute'),
  messagesPerMinute: internal<number>('messages_per_minute'),
  /** The time when its sending was paused; null if it is not paused. */
  pausedAt: internal<Date | null>('paused_at'),
  /** A user's id; null for the command line. */
  pausedBy: internal<string | null>('paused_by'),
}

export type Line = Row<typeof LINE_FIELDS>

const COLUMNS = columnsOf(LINE_FIELDS)

/** A line as its owner sees it. */
export interface OwnLine extends Line {
  isConnected: boolean
  /** The time when it last sent or received; null if it never has. */
  lastActivityAt: Date | null
}

/** What operators can change about a line at any time. */
export type LineSettings = Pick<
  Line,
  'carrierAccount' | 'allowedCountries' | 'messagesPerNumberPerMinute' | 'messagesPerMinute'
>

export interface LineFilter {
  id?: string
  /** An E.164 number. */
  number?: string
  name?: string
}

/** @returns false if the number belongs to a line already */
export async function insertLine(db: Database, line: Omit<Line, 'routes' | 'shortCodes'>): Promise<boolean> {
  const inserted = await db('lines')
    .insert({
      id: line.id,
      user_id: line.userId,
      number: line.number,
      name: line.name,
      carrier: line.carrierAccount,
      status: line.status,
      country: line.country,
      allowed_countries: line.allowedCountries,
      paused_countries: line.pausedCountries,
      messages_per_number_per_minute: line.messagesPerNumberPerMinute,
      messages_per_minute: line.messagesPerMinute,
    })
    .onConflict('number')
    .ignore()
    .returning('id')
  return inserted.length > 0
}

export async function findLineByNumber(db: Database, number: string): Promise<Line | undefined> {
  return db('lines').where({ number }).first<Line | undefined>(db.raw(COLUMNS))
}

/** Returns results in the order of the numbers, which may be as a carrier wrote them. */
export async function findLinesByNumbers(
  db: Database,
  written: readonly string[],
): Promise<(Line | undefined)[]> {
  const numbers = written.map(storable)
  const lines = await db('lines')
    .whereIn('number', [...new Set(numbers)])
    .select<Line[]>(db.raw(COLUMNS))
  const byNumber = new Map(lines.map((line) => [line.number, line]))
  return numbers.map((number) => byNumber.get(number))
}

/**
 * Until the transaction ends, no other process queues messages of these lines. The locks are taken in the order that
 * every other caller uses.
 */
export async function lockLines(trx: Database, numbers: readonly string[]): Promise<void> {
  await trx.raw(
    `select lock_line(id)
     from (select id from lines where number = any (?) order by hashtextextended(id::text, 0)) l`,
    [numbers.map(storable)],
  )
}

/** Lists the lines at a carrier account whose number ends this way, for numbers without a country code. */
export async function listLinesEndingWith(db: Database, carrier: string, digits: string): Promise<Line[]> {
  return db('lines')
    .whereRaw('is_line_at(carrier, routes, ?)', [carrier])
    .whereLike('number', `%${digits}`)
    .select<Line[]>(db.raw(COLUMNS))
}

/** Lists the user's lines, oldest first. */
export async function listLinesOf(db: Database, userId: string, filter: LineFilter = {}): Promise<OwnLine[]> {
  return db('lines as l')
    .leftJoin('developer_connections as c', 'c.line_id', 'l.id')
    .where({ 'l.user_id': userId })
    .modify((query) => {
      for (const [column, value] of Object.entries(filter) as [string, string][])
        void query.where(`l.${column}`, value)
    })
    .select<OwnLine[]>([
      db.raw(COLUMNS),
      db.raw('coalesce(c.enabled, false) as "isConnected"'),
      db.raw(
        `(select m.created_at from messages m where m.line_id = l.id order by m.id desc limit 1) as "lastActivityAt"`,
      ),
    ])
    .orderBy('l.id')
}

/** Lists the lines of any user, oldest first. */
export async function findLineNumbers(
  db: Database,
  ids: readonly string[],
): Promise<{ id: string; number: string }[]> {
  return db('lines')
    .whereIn('id', [...ids])
    .orderBy('id')
    .select<{ id: string; number: string }[]>('id', 'number')
}

/** Returns the names of lines by their ids, for operators. */
export async function findLineNames(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db('lines')
    .whereRaw('id = any (?::uuid[])', [[...new Set(ids)]])
    .select<{ id: string; name: string }[]>('id', 'name')
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/**
 * Locks the line against changes until the transaction ends.
 *
 * @returns undefined if the user has no such line
 */
export async function lockOwnLine(trx: Database, userId: string, id: string): Promise<Line | undefined> {
  return trx('lines')
    .where({ user_id: userId, id })
    .forNoKeyUpdate()
    .first<Line | undefined>(trx.raw(COLUMNS))
}

export async function updateLineName(db: Database, id: string, name: string): Promise<void> {
  await db('lines').where({ id }).update({ name })
}

/**
 * Wakes its waiting messages, as the end of a pause does: those that waited for a paused account may now have another.
 */
export async function updateLineRoutes(db: Database, id: string, routes: readonly Route[]): Promise<void> {
  await db('lines')
    .where({ id })
    .update({ routes: JSON.stringify(routes), resumed_at: wakingOf(db) })
}

/** Also wakes its waiting messages, because they may now go earlier. */
export async function updateLineSettings(
  db: Database,
  id: string,
  settings: LineSettings & Pick<Line, 'pausedCountries'>,
): Promise<void> {
  await db('lines')
    .where({ id })
    .update({
      carrier: settings.carrierAccount,
      allowed_countries: settings.allowedCountries,
      paused_countries: settings.pausedCountries,
      messages_per_number_per_minute: settings.messagesPerNumberPerMinute,
      messages_per_minute: settings.messagesPerMinute,
      resumed_at: wakingOf(db),
    })
}

function wakingOf(db: Database) {
  return db.raw('case when paused_at is null then clock_timestamp() else resumed_at end')
}

export async function updateLineShortCodes(
  db: Database,
  id: string,
  codes: readonly string[],
): Promise<void> {
  await db('lines')
    .where({ id })
    .update({ short_codes: codes.length === 0 ? null : [...codes] })
}

/** Finds any user's line, for operators. */
export async function findAnyLine(db: Database, id: string): Promise<Line | undefined> {
  return db('lines').where({ id }).first<Line | undefined>(db.raw(COLUMNS))
}

/** Lists every user's lines, oldest first, for operators. */
export async function listAllLines(db: Database): Promise<(Line & { connected: boolean })[]> {
  return db('lines')
    .leftJoin('developer_connections', 'developer_connections.line_id', 'lines.id')
    .select<(Line & { connected: boolean })[]>([
      db.raw(COLUMNS),
      db.raw('coalesce(developer_connections.enabled, false) as connected'),
    ])
    .orderBy('lines.id')
}

/** Keeps others from enabling or disabling it until the transaction ends. */
export async function isLineDisabled(trx: Database, id: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { status: LineStatus }[] }>(
    'select status from lines where id = ? for share',
    [id],
  )
  return rows[0]?.status === 'disabled'
}

export async function updateLineStatus(db: Database, id: string, status: LineStatus): Promise<void> {
  const changes = status === 'active' ? activated(db) : { status, disabled_at: db.fn.now() }
  await db('lines')
    .where({ id })
    .update({ ...changes, is_stopped: false })
}

/** The end of the pause that also releases its held events (`enqueueResumed`). */
function activated(db: Database) {
  return { status: 'active', disabled_at: null, resumed_at: db.fn.now() }
}

/**
 * Disables the user's active lines, and marks them.
 *
 * @returns their numbers
 */
export async function stopLinesOf(db: Database, userId: string): Promise<string[]> {
  const stopped = await db('lines')
    .where({ user_id: userId, status: 'active' })
    .update({ status: 'disabled', is_stopped: true, disabled_at: db.fn.now() })
    .returning<{ number: string }[]>('number')
  return stopped.map(({ number }) => number)
}

/** Lists the ids of the lines that were stopped with their user. */
export async function listStoppedLines(db: Database, userId: string): Promise<string[]> {
  return db('lines').where({ user_id: userId, status: 'disabled', is_stopped: true }).pluck<string[]>('id')
}

/**
 * Activates the stopped lines again.
 *
 * @returns their numbers
 */
export async function restartLinesOf(db: Database, userId: string): Promise<string[]> {
  const restarted = await db('lines')
    .where({ user_id: userId, status: 'disabled', is_stopped: true })
    .update({ ...activated(db), is_stopped: false })
    .returning<{ number: string }[]>('number')
  return restarted.map(({ number }) => number)
}

/** Counts the lines of each carrier account, by its name; accounts without lines are left out. */
export async function countLinesOfCarriers(db: Database): Promise<Map<string, number>> {
  const rows = await db('lines')
    .groupBy('carrier')
    .select<{ carrier: string; count: number }[]>('carrier', db.raw('count(*)::int as count'))
  return new Map(rows.map(({ carrier, count }) => [carrier, count]))
}

/** The line that has a number, and its owner, as operators see it. */
const OF_NUMBER_FIELDS = {
  id: internal<string>('l.id'),
  number: internal<string>('l.number'),
  carrierAccount: internal<string>('l.carrier'),
  userId: internal<string>('l.user_id'),
  ownerEmail: internal<string>('u.email'),
}

export type LineOfNumber = Row<typeof OF_NUMBER_FIELDS>

/** Finds the lines that these numbers (E.164) belong to, for operators. */
export async function findLinesOfNumbers(db: Database, numbers: readonly string[]): Promise<LineOfNumber[]> {
  return db('lines as l')
    .join('users as u', 'u.id', 'l.user_id')
    .whereRaw('l.number = any (?::text[])', [[...numbers]])
    .select<LineOfNumber[]>(db.raw(columnsOf(OF_NUMBER_FIELDS)))
}
