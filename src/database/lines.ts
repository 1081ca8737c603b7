import type { Database } from './connection.js'

export type LineStatus = 'active' | 'disabled'

export interface Line {
  id: string
  userId: string
  number: string
  name: string
  carrier: string
  status: LineStatus
  country: string | null
  allowedCountries: string[] | null
  messagesPerNumberPerMinute: number
  messagesPerMinute: number
}

const columns = {
  id: 'id',
  userId: 'user_id',
  number: 'number',
  name: 'name',
  carrier: 'carrier',
  status: 'status',
  country: 'country',
  allowedCountries: 'allowed_countries',
  messagesPerNumberPerMinute: 'messages_per_number_per_minute',
  messagesPerMinute: 'messages_per_minute',
}

/** @returns false when the number belongs to a line already */
export async function insertLine(db: Database, line: Line): Promise<boolean> {
  const inserted = await db('lines')
    .insert({
      id: line.id,
      user_id: line.userId,
      number: line.number,
      name: line.name,
      carrier: line.carrier,
      status: line.status,
      country: line.country,
      allowed_countries: line.allowedCountries,
      messages_per_number_per_minute: line.messagesPerNumberPerMinute,
      messages_per_minute: line.messagesPerMinute,
    })
    .onConflict('number')
    .ignore()
    .returning('id')
  return inserted.length > 0
}

export async function findLineByNumber(db: Database, number: string): Promise<Line | undefined> {
  return db('lines').where({ number }).first<Line | undefined>(columns)
}

/** For operators: any user's line. */
export async function findAnyLine(db: Database, id: string): Promise<Line | undefined> {
  return db('lines').where({ id }).first<Line | undefined>(columns)
}

/** For operators: every user's lines, oldest first. */
export async function listAllLines(db: Database): Promise<(Line & { connected: boolean })[]> {
  return db('lines')
    .leftJoin('developer_connections', 'developer_connections.line_id', 'lines.id')
    .select<(Line & { connected: boolean })[]>([
      Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, `lines.${column}`])),
      db.raw('coalesce(developer_connections.enabled, false) as connected'),
    ])
    .orderBy('lines.id')
}

export async function updateLineStatus(
  db: Database,
  userId: string,
  id: string,
  status: LineStatus,
): Promise<boolean> {
  return (await db('lines').where({ user_id: userId, id }).update({ status })) > 0
}
