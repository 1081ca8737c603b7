import { deleteUnclearCallbacksOf } from '../carriers/unclear-callbacks.js'
import { transaction, type Database } from '../connection.js'
import { PERSON_DELIVERIES, PERSON_MESSAGES, personBindings, type PersonOnLines } from './finding.js'
import { FORGOTTEN } from './forgotten.js'

/** A message to be erased, with the copy of its media. */
export interface ErasableMessage {
  id: string
  /** The key of a file that still exists. */
  storageKey: string | null
  sourceUrl: string | null
}

/** Lists the next messages. An erased one has another number, and is not found again. */
export async function listErasable(
  db: Database,
  person: PersonOnLines,
  limit: number,
): Promise<ErasableMessage[]> {
  const { rows } = await db.raw<{ rows: ErasableMessage[] }>(
    `select m.id, case when x.removed_at is null then x.storage_key end as "storageKey", x.source_url as "sourceUrl"
     from (select m.id from ${PERSON_MESSAGES} limit :limit) m
     left join media x on x.message_id = m.id`,
    { ...personBindings(person), limit },
  )
  return rows
}

const replaced = (column: string) =>
  `${column} = case when ${column} = :number then '${FORGOTTEN}' else ${column} end`

/**
 * Removes the number and all content from messages, and from what was made of them. The files of their media are gone
 * already. It runs in one transaction: a message without its number is not found again, so nothing of it may be left.
 *
 * @returns the numbers of media and deliveries that were erased with them
 */
export async function eraseMessages(
  db: Database,
  number: string,
  messageIds: readonly string[],
): Promise<{ media: number; deliveries: number }> {
  return transaction(db, async (trx) => {
    const bindings = { number, ids: [...messageIds] }
    const { rowCount: media } = await trx.raw<{ rowCount: number }>(
      `update media set source_url = '', removed_at = case when status = 'stored' then coalesce(removed_at, now()) end
       where message_id = any (:ids::uuid[])`,
      bindings,
    )
    const { rows: events } = await trx.raw<{ rows: { id: string }[] }>(
      'select id from events where message_id = any (:ids::uuid[])',
      bindings,
    )
    const deliveries = await eraseEvents(
      trx,
      number,
      events.map(({ id }) => id),
    )
    // A carrier's words may repeat the number; a reference may be made of it, and options may be anything.
    await trx.raw(
      `update messages set text = null, media_urls = null, client_ref = null, carrier_options = null, error = replace(error, ltrim(:number, '+'), '${FORGOTTEN}'),
         ${replaced('from_number')}, ${replaced('to_number')}
       where id = any (:ids::uuid[])`,
      bindings,
    )
    return { media, deliveries }
  })
}

/**
 * Erases them in events that are not about a message, or about one that was dropped.
 *
 * @returns the number of deliveries erased, which may be above `limit`: an event is erased with all of its deliveries
 */
export async function eraseDeliveries(db: Database, person: PersonOnLines, limit: number): Promise<number> {
  return transaction(db, async (trx) => {
    const { rows } = await trx.raw<{ rows: { eventId: string }[] }>(
      `select d.event_id as "eventId" from ${PERSON_DELIVERIES} limit :limit`,
      { ...personBindings(person), limit },
    )
    return eraseEvents(trx, person.number, [...new Set(rows.map(({ eventId }) => eventId))])
  })
}

/** @returns the number of their deliveries */
async function eraseEvents(trx: Database, number: string, eventIds: readonly string[]): Promise<number> {
  const bindings = { number, ids: [...eventIds] }
  await trx.raw(
    `update events set payload = '', ${replaced('from_number')}, ${replaced('to_number')} where id = any (:ids::uuid[])`,
    bindings,
  )
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `update deliveries set ${replaced('from_number')} where event_id = any (:ids::uuid[]) returning id`,
    bindings,
  )
  await trx.raw(
    // A signature is made from the text.
    `update delivery_attempts set response_excerpt = null, response_headers = null, request_headers = null
     where delivery_id = any (:ids::uuid[]) and num_nonnulls(response_excerpt, response_headers, request_headers) > 0`,
    { ids: rows.map(({ id }) => id) },
  )
  return rows.length
}

/**
 * Erases what lines know about the number. Only an opt-out stays, under the number itself: without it the line could
 * write to them again, which is what they opted out of.
 *
 * @returns the number of lines that forgot, and of opt-outs that stay
 */
export async function erasePeers(
  db: Database,
  { number, lineIds }: Pick<PersonOnLines, 'number' | 'lineIds'>,
): Promise<{ peers: number; optOuts: number }> {
  const bindings = { number, lineIds: [...lineIds] }
  const { rows } = await db.raw<{ rows: [{ peers: number; optOuts: number }] }>(
    `with forgotten as (
       delete from line_peers
       where line_id = any (:lineIds::uuid[]) and number = :number and opted_out_at is null returning 1
     ), kept as (
       update line_peers set window_cleared_at = null, opted_in_at = null, opt_out_answer_id = null,
         help_answered_at = null, paused_until = null, heard_at = '{}', unread_id = null, archived_at = null
       where line_id = any (:lineIds::uuid[]) and number = :number and opted_out_at is not null returning 1
     )
     select (select count(*)::integer from forgotten) as peers, (select count(*)::integer from kept) as "optOuts"`,
    bindings,
  )
  return rows[0]
}

/**
 * Erases what the simulator's phone with this number received.
 *
 * @returns the number, at most `limit`
 */
export async function eraseSimulated(db: Database, number: string, limit: number): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update simulator_outbox set text = null, media_urls = '{}', to_number = '${FORGOTTEN}'
     where carrier_message_id in (select carrier_message_id from simulator_outbox where to_number = ? limit ?)`,
    [number, limit],
  )
  return rowCount
}

/**
 * Deletes users' contacts for the person.
 *
 * @returns the number of users
 */
export async function deleteContacts(db: Database, number: string): Promise<number> {
  return db('contacts').where({ number }).delete()
}

/**
 * Erases parts of texts whose other parts never came, requests of carriers that were not understood, and the carrier's
 * last errors of a minute.
 */
export async function eraseRemains(db: Database, number: string): Promise<void> {
  await db('smpp_parts').where({ from_number: number }).delete()
  await deleteUnclearCallbacksOf(db, number)
  await deleteKeysWith(db, number)
  await db.raw(
    `update traffic_counts set last_error = replace(last_error, ltrim(:number, '+'), '${FORGOTTEN}')
     where position(ltrim(:number, '+') in last_error) > 0`,
    { number },
  )
}

/** Keys count for so many hours. Housekeeping deletes older ones. */
const KEY_HOURS = 24

/**
 * Clients choose the keys, and some derive them from the number. A statement reads those of an hour: with 140 a second,
 * reading all of a day takes longer than a statement may (measured: 0.8 s for a million).
 */
async function deleteKeysWith(db: Database, number: string): Promise<void> {
  for (let hours = 0; hours <= KEY_HOURS; hours += 1) {
    await db.raw(
      `delete from idempotency_keys where position(ltrim(?, '+') in key) > 0
         and created_at <= now() - ?::interval and created_at > now() - ?::interval`,
      [number, `${hours} hours`, hours < KEY_HOURS ? `${hours + 1} hours` : '100 years'],
    )
  }
}
