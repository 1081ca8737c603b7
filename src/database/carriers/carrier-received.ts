import { transaction, type Database } from '../connection.js'

/** Returns the numbers of an account's lines, and the times since which they are lines. */
export async function listNumbersAt(
  db: Database,
  carrier: string,
): Promise<{ number: string; createdAt: Date }[]> {
  return db('lines')
    .whereRaw('is_line_at(carrier, routes, ?)', [carrier])
    .orderBy('id')
    .select<{ number: string; createdAt: Date }[]>({ number: 'number', createdAt: 'created_at' })
}

/**
 * Returns those of the ids that have already been received through any account of the kind: two entries may be the same
 * account at the provider, and then both list a message that one of them has delivered.
 */
export async function findReceivedIds(
  db: Database,
  kind: string,
  carrierMessageIds: readonly string[],
): Promise<Set<string>> {
  const ids = await db('carrier_message_ids')
    .where({ is_inbound: true })
    .whereRaw('carrier = any (array(select name from carrier_accounts where kind = ?))', [kind])
    .whereRaw('carrier_message_id = any (?)', [[...carrierMessageIds]])
    .pluck<string[]>('carrier_message_id')
  return new Set(ids)
}

/**
 * Records the id of a message found in a list under every account of that kind that the line has, so that a late
 * callback for another of them is a repeat.
 */
export async function noteReceivedId(
  db: Database,
  kind: string,
  toNumber: string,
  { carrierMessageId, messageId }: { carrierMessageId: string; messageId: string },
): Promise<void> {
  await db.raw(
    `insert into carrier_message_ids (carrier, carrier_message_id, message_id, is_inbound)
     select a.name, :carrierMessageId, :messageId::uuid, true
     from carrier_accounts a join lines l on l.number = :toNumber and is_line_at(l.carrier, l.routes, a.name)
     where a.kind = :kind order by a.name
     on conflict do nothing`,
    { kind, toNumber, carrierMessageId, messageId },
  )
}

/** Does the work while no other process works on a message with this id. The work has connections of its own. */
export async function whileReceiving(
  db: Database,
  kind: string,
  carrierMessageId: string,
  work: () => Promise<void>,
): Promise<void> {
  await transaction(db, async (trx) => {
    await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 9))', [`${kind} ${carrierMessageId}`])
    await work()
  })
}
