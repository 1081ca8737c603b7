import type { Database } from '../connection.js'

export type MessageStatus = 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'unknown' | 'received'

/** A message as the sending worker sees it, with what its line says about sending. */
export interface MessageToSend {
  id: string
  lineId: string
  carrier: string
  lineStatus: 'active' | 'disabled'
  numberLimit: number
  lineLimit: number
  fromNumber: string
  toNumber: string
  text: string | null
  mediaUrl: string | null
  status: MessageStatus
  attemptCount: number
  ageMs: number
  isOptedOut: boolean
  /** An earlier message to the same number is not over yet. */
  isBehind: boolean
}

/** A row and the generation of the job that was made for it. */
export interface Requeued {
  id: string
  generation: number
}

const earlierUnfinished = `exists (
  select 1 from messages p where p.line_id = m.line_id and p.to_number = m.to_number
    and p.status in ('queued', 'sending') and p.id < m.id)`

export async function loadMessagesToSend(
  db: Database,
  ids: readonly string[],
): Promise<(MessageToSend | undefined)[]> {
  const { rows } = await db.raw<{ rows: MessageToSend[] }>(
    `select m.id, m.line_id as "lineId", l.carrier, l.status as "lineStatus",
            l.messages_per_number_per_minute as "numberLimit", l.messages_per_minute as "lineLimit",
            m.from_number as "fromNumber", m.to_number as "toNumber", m.text, m.media_url as "mediaUrl", m.status,
            m.attempt_count as "attemptCount",
            (extract(epoch from clock_timestamp() - m.created_at) * 1000)::float8 as "ageMs",
            c.opted_out_at is not null as "isOptedOut", ${earlierUnfinished} as "isBehind"
     from messages m
     join lines l on l.id = m.line_id
     left join line_contacts c on c.line_id = m.line_id and c.number = m.to_number
     where m.id = any (?::uuid[])`,
    [[...ids]],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id))
}

/**
 * The fence before a carrier call: queued → sending by compare-and-set, so that of all jobs for a message one
 * gets it, and never before the earlier messages to its number are over.
 *
 * @returns the attempt's number, which `settleMessages` wants back; undefined for who did not get it
 */
export async function claimMessages(
  db: Database,
  ids: readonly string[],
  leaseMs: number,
): Promise<(number | undefined)[]> {
  const { rows } = await db.raw<{ rows: { id: string; attempt: number }[] }>(
    `update messages m
     set status = 'sending', attempt_count = m.attempt_count + 1, lease_until = now() + make_interval(secs => ?)
     where m.id = any (?::uuid[]) and m.status = 'queued' and not ${earlierUnfinished}
     returning m.id, m.attempt_count as attempt`,
    [leaseMs / 1000, [...ids]],
  )
  // Two jobs of one message may stand in one batch: the row is claimed once, and the first of them has it.
  const byId = new Map(rows.map((row) => [row.id, row.attempt]))
  return ids.map((id) => {
    const attempt = byId.get(id)
    byId.delete(id)
    return attempt
  })
}

export interface Settlement {
  id: string
  attempt: number
  status: 'sent' | 'failed' | 'unknown' | 'queued'
  error?: string
  carrier?: string
  carrierMessageId?: string
  /** For `queued`: when to try again. */
  dueInMs?: number
  /** Throttled: the carrier was not really asked, so the attempt does not count. */
  uncounted?: boolean
}

/**
 * Writes how claimed messages ended, and hands each number to its next message: that one gets a new job
 * generation, which the caller enqueues. A result that comes after the lease is over still counts (unknown →
 * sent), but not over a later attempt, nor over a receipt that was faster.
 */
export async function settleMessages(db: Database, settlements: readonly Settlement[]): Promise<Requeued[]> {
  const { rows } = await db.raw<{ rows: Requeued[] }>(
    `with given as (
       select * from jsonb_to_recordset(?::jsonb) as x(id uuid, attempt integer, status text, error text, carrier text,
         "carrierMessageId" text, "dueInMs" integer, uncounted boolean)
     ), settled as (
       update messages m
       set status = case when m.status in ('sending', 'unknown') then g.status else m.status end,
           error = case when m.status in ('sending', 'unknown') then g.error else m.error end,
           carrier_message_id = coalesce(g."carrierMessageId", m.carrier_message_id),
           lease_until = null, sent_at = case when g.status = 'sent' then clock_timestamp() else m.sent_at end,
           due_at = clock_timestamp() + make_interval(secs => coalesce(g."dueInMs", 0) / 1000.0),
           attempt_count = m.attempt_count - case when g.uncounted then 1 else 0 end
       from given g
       where m.id = g.id and m.attempt_count = g.attempt and m.status in ('sending', 'unknown', 'delivered', 'failed')
       returning m.id, m.line_id, m.to_number, m.status
     ), ids as (
       insert into carrier_message_ids (carrier, carrier_message_id, message_id)
       select g.carrier, g."carrierMessageId", g.id from given g where g."carrierMessageId" is not null
       on conflict do nothing
     )
     ${requeueNext('settled')}`,
    [JSON.stringify(settlements)],
  )
  return rows
}

/** Ends queued messages that may not be sent (opted out, expired, line disabled). */
export async function failQueuedMessages(
  db: Database,
  failures: readonly { id: string; error: string }[],
): Promise<Requeued[]> {
  const { rows } = await db.raw<{ rows: Requeued[] }>(
    `with settled as (
       update messages m set status = 'failed', error = g.error
       from jsonb_to_recordset(?::jsonb) as g(id uuid, error text)
       where m.id = g.id and m.status = 'queued'
       returning m.id, m.line_id, m.to_number, m.status
     )
     ${requeueNext('settled')}`,
    [JSON.stringify(failures)],
  )
  return rows
}

/** The messages of lost workers: perhaps sent, so never sent again by themselves (architecture, the one rule). */
export async function expireLeases(
  db: Database,
  limit: number,
): Promise<{ expired: string[]; requeued: Requeued[] }> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { id: string; lineId: string; toNumber: string }[] }>(
      `update messages set status = 'unknown', error = 'worker_lost', lease_until = null
       where id in (select id from messages where status = 'sending' and lease_until < now()
                    order by lease_until limit ? for update skip locked)
       returning id, line_id as "lineId", to_number as "toNumber"`,
      [limit],
    )
    const requeued = rows.length === 0 ? [] : await requeueHeads(trx, rows)
    return { expired: rows.map((row) => row.id), requeued }
  })
}

/** Gives the first queued message of each number a new job, now. */
export async function requeueHeads(
  db: Database,
  numbers: readonly { lineId: string; toNumber: string }[],
): Promise<Requeued[]> {
  const { rows } = await db.raw<{ rows: Requeued[] }>(
    `with settled as (
       select line_id, to_number, 'done' as status, '00000000-0000-0000-0000-000000000000'::uuid as id
       from jsonb_to_recordset(?::jsonb) as x(line_id uuid, to_number text)
     )
     ${requeueNext('settled')}`,
    [JSON.stringify(numbers.map(({ lineId, toNumber }) => ({ line_id: lineId, to_number: toNumber })))],
  )
  return rows
}

/** Says when a waiting message is next due, so that the sweeper leaves it alone until then. */
export async function postponeMessages(
  db: Database,
  waits: readonly { id: string; ms: number }[],
): Promise<void> {
  await db.raw(
    `update messages m set due_at = clock_timestamp() + make_interval(secs => g.ms / 1000.0)
     from jsonb_to_recordset(?::jsonb) as g(id uuid, ms integer) where m.id = g.id and m.status = 'queued'`,
    [JSON.stringify(waits)],
  )
}

function requeueNext(settled: string): string {
  return `, nexts as (
       select distinct n.id from ${settled} s cross join lateral (
         select m.id, m.status from messages m where m.line_id = s.line_id and m.to_number = s.to_number
           and m.status in ('queued', 'sending') and m.id > s.id order by m.id limit 1
       ) n where s.status <> 'queued' and n.status = 'queued'
     )
     update messages m set job_generation = m.job_generation + 1, due_at = clock_timestamp()
     from nexts where m.id = nexts.id and m.status = 'queued' and nexts.id not in (select id from ${settled})
     returning m.id, m.job_generation as generation`
}
