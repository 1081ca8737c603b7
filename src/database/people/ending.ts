import type { Database } from '../connection.js'
import type { Conversation } from '../messages/requeueing.js'
import { PERSON_DELIVERIES, PERSON_MESSAGES, personBindings, type PersonOnLines } from './finding.js'

/** The reason for ending something because the person was forgotten. */
const REASON = 'forgotten'

/**
 * Ends messages that were queued for a person while they were being forgotten. A worker may hold one, and sends it: if
 * it gives it back, nothing is sent any more.
 */
export async function endForgotten(trx: Database, messageIds: readonly string[]): Promise<void> {
  await trx.raw(
    `update messages set status = case when status in ('scheduled', 'queued') then 'failed' else status end,
       error = case when status in ('scheduled', 'queued') then '${REASON}' else error end,
       expires_at = case when status = 'sending' then clock_timestamp() else expires_at end
     where id = any (?::uuid[])`,
    [[...messageIds]],
  )
}

/**
 * Ends waiting messages for a person and waiting deliveries about them: no one is notified, because that would record
 * the number again. Rows that a worker holds stay as they are, and so do locked ones.
 *
 * @returns their number, at most `limit` of a kind; `left` are the messages, which give back their places in the
 * windows
 */
export async function endWaiting(
  db: Database,
  person: PersonOnLines,
  limit: number,
): Promise<{ messages: number; deliveries: number; media: number; left: ({ id: string } & Conversation)[] }> {
  const bindings = { ...personBindings(person), limit }
  const end = async (sql: string) => (await db.raw<{ rowCount: number }>(sql, bindings)).rowCount
  const messages = await db.raw<{ rows: { id: string; lineId: string }[] }>(
    `update messages set status = 'failed', error = '${REASON}' where id = any (array(
       select m.id from ${PERSON_MESSAGES} where m.status in ('scheduled', 'queued')
       limit :limit for update of m skip locked))
     returning id, line_id as "lineId"`,
    bindings,
  )
  return {
    messages: messages.rows.length,
    left: messages.rows.map((row) => ({ ...row, toNumber: person.number })),
    media: await end(
      `update media set status = 'failed', failure = 'media_gone' where id = any (array(
         select x.id from ${PERSON_MESSAGES} join media x on x.message_id = m.id
         where x.status = 'pending' limit :limit for update of x skip locked))`,
    ),
    deliveries: await end(
      `update deliveries set status = 'exhausted', last_failure = '${REASON}', lease_until = null where id = any (array(
         select d.id from ${PERSON_DELIVERIES} where d.status in ('pending', 'held')
         limit :limit for update of d skip locked))`,
    ),
  }
}
