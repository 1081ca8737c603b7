import type { Pool } from 'pg'
import { newId } from '../src/ids.js'
import { sha256 } from '../src/secrets.js'

/**
 * Makes rows by the thousand in plain SQL. When a table changes, no other file of the bench has to change. What is made one
 * by one is made by functions of the domain (`lines.ts`).
 */

export interface LineRow {
  id: string
  number: string
}

/** No measure comes near these limits of a line. */
const LIMIT = 100_000
const WEBHOOK_TOKEN = 'bench'
/** This is older than every window of a limit, and younger than the age at which a message expires. */
const WAITING_SINCE = "clock_timestamp() - interval '10 minutes'"
const HISTORY_DAYS = 20

export async function insertLines(
  sql: Pool,
  { userId, carrier, count }: { userId: string; carrier: string; count: number },
): Promise<LineRow[]> {
  const lines = Array.from({ length: count }, (_, n) => ({ id: newId(), number: lineNumber(n) }))
  await sql.query(
    `insert into lines (id, user_id, number, name, carrier, messages_per_minute, messages_per_number_per_minute)
     select l.id, $1, l.number, l.number, $2, ${LIMIT}, ${LIMIT} from unnest($3::uuid[], $4::text[]) as l (id, number)`,
    [userId, carrier, lines.map(({ id }) => id), lines.map(({ number }) => number)],
  )
  return lines
}

/** Opens the lines' incoming webhooks. @returns their paths */
export async function insertWebhooks(sql: Pool, lines: readonly LineRow[]): Promise<string[]> {
  const ids = lines.map(({ id }) => id)
  await sql.query(
    'insert into developer_connections (line_id, enabled) select unnest($1::uuid[]), true on conflict do nothing',
    [ids],
  )
  await sql.query(
    `insert into incoming_webhooks (line_id, token_hash, token_sealed) select unnest($1::uuid[]), $2, ''`,
    [ids, sha256(WEBHOOK_TOKEN)],
  )
  return ids.map((id) => `/webhooks/lineId/${id}?token=${WEBHOOK_TOKEN}`)
}

/** Makes messages that wait to be sent, from each line in turn, each to another number. @returns their ids */
export async function insertQueuedMessages(
  sql: Pool,
  lines: readonly LineRow[],
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  await sql.query(
    `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status, created_at, due_at)
     select w.id, l.user_id, l.id, 'outbound', 'webhook', l.number, '+1557' || lpad(w.n::text, 7, '0'),
       'Your code is 123456', 'queued', ${WAITING_SINCE}, ${WAITING_SINCE}
     from unnest($1::uuid[]) with ordinality as w (id, n)
     join lines l on l.id = ($2::uuid[])[1 + (w.n - 1) % cardinality($2::uuid[])]
     order by w.n`,
    [ids, lines.map(({ id }) => id)],
  )
  return ids
}

export interface DeliveryRow {
  id: string
  endpointId: string
}

/** Makes events for the lines' own endpoints in turn, each with a delivery that waits. */
export async function insertPendingDeliveries(
  sql: Pool,
  lines: readonly LineRow[],
  count: number,
): Promise<DeliveryRow[]> {
  const [ids, eventIds] = [Array.from({ length: count }, newId), Array.from({ length: count }, newId)]
  const { rows } = await sql.query<DeliveryRow>(
    `with given as (
       select w.id, w.event_id, w.n, l.id as line_id, l.user_id, l.number, c.endpoint_id
       from unnest($1::uuid[], $2::uuid[]) with ordinality as w (id, event_id, n)
       join lines l on l.id = ($3::uuid[])[1 + (w.n - 1) % cardinality($3::uuid[])]
       join developer_connections c on c.line_id = l.id
     ), made as (
       insert into events (id, user_id, line_id, type, payload, from_number, to_number)
       select event_id, user_id, line_id, 'inboundText', 'Hello ' || n, '+1558' || lpad(n::text, 7, '0'), number from given
     )
     insert into deliveries (id, user_id, line_id, event_id, endpoint_id, type, from_number, status, created_at, due_at)
     select id, user_id, line_id, event_id, endpoint_id, 'inboundText', '+1558' || lpad(n::text, 7, '0'), 'pending',
       ${WAITING_SINCE}, ${WAITING_SINCE}
     from given order by n
     returning id, endpoint_id as "endpointId"`,
    [ids, eventIds, lines.map(({ id }) => id)],
  )
  return rows
}

/**
 * Makes so many messages, by turns sent and received, and as many deliveries to the endpoints of connected lines. They are of
 * the last 20 days, each in its month's partition, and all of them are over. The events of these deliveries are left out,
 * because nobody asks for them.
 */
export async function insertHistory(
  sql: Pool,
  { lines, connected, count }: { lines: readonly LineRow[]; connected: readonly LineRow[]; count: number },
): Promise<void> {
  const tables = ['messages', 'deliveries']
  for (const table of tables) {
    await sql.query(`select ensure_partitions($1, (current_date - ${HISTORY_DAYS})::date, 2)`, [table])
  }
  const indexes = await dropIndexes(sql, tables)
  // This is a UUIDv7 of the row's moment, with the row's number at the end. The ids of the two tables differ by the digit.
  const id = (digit: number) =>
    `(lpad(to_hex(ms), 12, '0') || '7${digit}008000' || lpad(to_hex(n), 12, '0'))::uuid`
  const startMs = Date.now() - HISTORY_DAYS * 86_400_000
  const stepMs = Math.floor(((HISTORY_DAYS - 0.1) * 86_400_000) / count)
  const rows = `(
    select n, ms, to_timestamp(ms / 1000.0) as at, '+1559' || lpad(n::text, 7, '0') as contact, n % 2 = 0 as is_sent,
      1 + n % cardinality($1::uuid[]) as line
    from (select n, ${startMs} + n::bigint * ${stepMs} as ms from generate_series(1, ${count}) n) moments
  ) r join lines l on l.id = ($1::uuid[])[line]`
  await sql.query(
    `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status, carrier_message_id,
       created_at, due_at, attempt_count, handed_over_at, sent_at)
     select ${id(0)}, l.user_id, l.id, case when is_sent then 'outbound' else 'inbound' end,
       case when is_sent then 'webhook' else 'carrier' end, case when is_sent then l.number else contact end,
       case when is_sent then contact else l.number end, 'Your code is ' || n,
       case when is_sent then 'delivered' else 'received' end, 'past-' || n, at, at, 1,
       case when is_sent then at end, case when is_sent then at end
     from ${rows}`,
    [lines.map((line) => line.id)],
  )
  await sql.query(
    `insert into deliveries (id, user_id, line_id, event_id, endpoint_id, type, from_number, status, attempt_count, created_at,
       due_at, delivered_at)
     select ${id(1)}, l.user_id, l.id, ${id(2)}, c.endpoint_id, 'inboundText', contact, 'delivered', 1, at, at, at
     from ${rows} join developer_connections c on c.line_id = l.id`,
    [connected.map((line) => line.id)],
  )
  for (const definition of indexes) await sql.query(definition)
}

/** Indexes that are made at the end, in one go, take a third of the time. @returns the statement that makes each */
async function dropIndexes(sql: Pool, tables: readonly string[]): Promise<string[]> {
  const { rows } = await sql.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition
     from pg_index i where i.indrelid::regclass::text = any ($1) and not i.indisprimary`,
    [tables],
  )
  for (const { name } of rows) await sql.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

/** Empties the tables, so that rounds do not differ by what earlier ones have left. */
export async function emptyMessages(sql: Pool): Promise<void> {
  await sql.query('truncate messages, events, deliveries, carrier_message_ids, line_peers')
}

/** Updates the statistics. Postgres would do so by itself within a minute, and rounds must not differ by that. */
export async function settleStatistics(sql: Pool): Promise<void> {
  await sql.query('vacuum analyze messages, events, deliveries')
}

/** Counts the messages that the simulator has, if their rows say so too. */
export async function countSent(sql: Pool): Promise<number> {
  return count(
    sql,
    `select (select count(*) from simulator_outbox) - (select count(*) from messages where status = 'sending')`,
  )
}

/** Counts the messages whose carrier has taken them, by their rows. */
export async function countTaken(sql: Pool): Promise<number> {
  return count(sql, `select count(*) from messages where status in ('sent', 'delivered')`)
}

/** Counts the deliveries that a worker holds. */
export async function countDelivering(sql: Pool): Promise<number> {
  return count(sql, `select count(*) from deliveries where status = 'delivering'`)
}

export async function listDelivering(sql: Pool): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(`select id from deliveries where status = 'delivering'`)
  return rows.map(({ id }) => id)
}

/** @param ids of the deliveries to count; left out: all are counted */
export async function countUndelivered(sql: Pool, ids?: readonly string[]): Promise<number> {
  const given = ids === undefined ? '' : ` and id in (${ids.map((id) => `'${id}'`).join(', ') || 'null'})`
  return count(sql, `select count(*) from deliveries where status in ('pending', 'delivering')${given}`)
}

async function count(sql: Pool, query: string): Promise<number> {
  const { rows } = await sql.query<{ count: string }>(`select (${query}) as count`)
  return Math.max(0, Number(rows[0]?.count))
}

function lineNumber(n: number): string {
  return `+1555${String(n).padStart(7, '0')}`
}
