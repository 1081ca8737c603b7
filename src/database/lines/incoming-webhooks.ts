import type { Database } from '../connection.js'

/** A webhook whose line is active and whose connection is enabled, with what the first checks of a request need. */
export interface OpenIncomingWebhook {
  lineId: string
  /** The version changes with the line's row. */
  lineVersion: string
  userId: string
  lineNumber: string
  carrierAccount: string
  /** Short codes that the line may text. */
  shortCodes: string[] | null
  country: string | null
  allowedCountries: string[] | null
  pausedCountries: string[] | null
  tokenHash: Buffer
  /** Set only during the overlap after a regeneration. */
  previousTokenHash: Buffer | null
  lineLimit: number
  lineUsed: number
  /** Milliseconds until the line's window has room for one more message; 0 if no message counts. */
  lineOpensMs: number
  numberLimit: number
}

/**
 * Returns results in the order of the ids; undefined for a line without an open webhook.
 *
 * `lowest_id_at(now − 1 day)` keeps Postgres from reading the partitions of other months. It only has to be wider
 * than the window: ids have the time of the process that made them, and its clock may be wrong by hours.
 */
export async function findOpenIncomingWebhooks(
  db: Database,
  lineIds: readonly string[],
): Promise<(OpenIncomingWebhook | undefined)[]> {
  const { rows } = await db.raw<{ rows: OpenIncomingWebhook[] }>(
    `select found.*, cardinality(found.times) as "lineUsed",
       opens_in_ms(found.times, found."lineLimit", clock_timestamp()) as "lineOpensMs"
     from unnest(?::uuid[]) as asked (id)
     -- One look-up for each, whatever the planner believes of tables that have just filled.
     cross join lateral (
       select w.line_id as "lineId", l.xmin::text as "lineVersion", l.user_id as "userId", l.number as "lineNumber", l.carrier as "carrierAccount", l.country, l.short_codes as "shortCodes",
         l.allowed_countries as "allowedCountries", l.paused_countries as "pausedCountries", w.token_hash as "tokenHash",
         case when w.previous_token_until > now() then w.previous_token_hash end as "previousTokenHash",
         l.messages_per_number_per_minute as "numberLimit", l.messages_per_minute as "lineLimit",
         (select coalesce(array_agg(m.created_at order by m.created_at), '{}') from messages m
          where m.line_id = w.line_id and m.source = 'webhook' and (m.send_at is null or m.is_postponed)
            and m.created_at > now() - limit_window()
            and m.id >= lowest_id_at(now() - interval '1 day')) as times
       from incoming_webhooks w
       join developer_connections c on c.line_id = w.line_id and c.enabled
       join lines l on l.id = w.line_id and l.status = 'active'
       where w.line_id = asked.id limit 1
     ) found`,
    [[...new Set(lineIds)]],
  )
  const byLine = new Map(rows.map((row) => [row.lineId, row]))
  return lineIds.map((id) => byLine.get(id.toLowerCase()))
}

interface StoredToken {
  tokenHash: Buffer
  tokenSealed: Buffer
}

/** @returns false if the line has a webhook already */
export async function insertIncomingWebhook(
  db: Database,
  lineId: string,
  token: StoredToken,
): Promise<boolean> {
  const inserted = await db('incoming_webhooks')
    .insert({ line_id: lineId, token_hash: token.tokenHash, token_sealed: token.tokenSealed })
    .onConflict('line_id')
    .ignore()
    .returning('line_id')
  return inserted.length > 0
}

export async function replaceToken(
  db: Database,
  lineId: string,
  token: StoredToken,
  overlapSeconds: number,
): Promise<void> {
  await db('incoming_webhooks')
    .where({ line_id: lineId })
    .update({
      previous_token_hash: overlapSeconds > 0 ? db.ref('token_hash') : null,
      previous_token_until:
        overlapSeconds > 0 ? db.raw(`now() + make_interval(secs => ?)`, [overlapSeconds]) : null,
      token_hash: token.tokenHash,
      token_sealed: token.tokenSealed,
      regenerated_at: db.fn.now(),
    })
}

export interface SealedToken {
  sealed: Buffer
  regeneratedAt: Date | null
  /** null if the token before it no longer works. */
  previousUntil: Date | null
}

export async function findSealedToken(
  db: Database,
  userId: string,
  lineId: string,
): Promise<SealedToken | undefined> {
  const row: SealedToken | undefined = await db('incoming_webhooks as w')
    .join('lines as l', 'l.id', 'w.line_id')
    .where({ 'l.user_id': userId, 'l.id': lineId })
    .first({
      sealed: 'w.token_sealed',
      regeneratedAt: 'w.regenerated_at',
      previousUntil: db.raw('case when w.previous_token_until > now() then w.previous_token_until end'),
    })
  return row
}

/** Finds any line whose webhook is open, as `findOpenIncomingWebhooks` defines it; undefined if there is none. */
export async function findLineWithWebhook(db: Database): Promise<string | undefined> {
  const row = await db('incoming_webhooks as w')
    .join('developer_connections as c', 'c.line_id', 'w.line_id')
    .join('lines as l', 'l.id', 'w.line_id')
    .where({ 'c.enabled': true, 'l.status': 'active' })
    .first<{ lineId: string } | undefined>({ lineId: 'w.line_id' })
  return row?.lineId
}

export async function deleteIncomingWebhook(db: Database, lineId: string): Promise<boolean> {
  return (await db('incoming_webhooks').where({ line_id: lineId }).delete()) > 0
}
