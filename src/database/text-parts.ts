import type { Database } from './connection.js'

/**
 * The fields that the parts of one text share. Their table is called `smpp_parts`, after the first kind that has
 * some.
 */
export interface LongText {
  carrierAccount: string
  fromNumber: string
  toNumber: string
  reference: number
  total: number
}

export interface Part {
  id: string
  /** The part's position, from 1. */
  number: number
  /** The part in the carrier's coding, because a character may be split between two. The column is called `text`. */
  bytes: Buffer
  coding: string
}

export async function insertPart(db: Database, longText: LongText, part: Part): Promise<void> {
  await db('smpp_parts').insert({ ...columnsOf(longText), ...rowOf(part) })
}

/** Lists the oldest first. There may be more than `total`: a phone has few references, and reuses them. */
export async function listParts(db: Database, longText: LongText): Promise<Part[]> {
  return db('smpp_parts')
    .where(columnsOf(longText))
    .orderBy('id')
    .select<Part[]>('id', 'number', 'text as bytes', 'coding')
}

/** Deletes parts whose line was removed. */
export async function deleteParts(db: Database, ids: readonly string[]): Promise<void> {
  await db.raw('delete from smpp_parts where id = any (?::uuid[])', [[...ids]])
}

/** Lists texts that have had no new part for this long, so that the missing ones will not come. */
export async function listStaleTexts(db: Database, ms: number, limit: number): Promise<LongText[]> {
  const { rows } = await db.raw<{ rows: LongText[] }>(
    `select carrier as "carrierAccount", from_number as "fromNumber", to_number as "toNumber", reference, total
     from smpp_parts group by 1, 2, 3, 4, 5
     having max(created_at) < clock_timestamp() - ? * interval '1 ms' limit ?`,
    [ms, limit],
  )
  return rows
}

function rowOf({ id, number, bytes, coding }: Part) {
  return { id, number, text: bytes, coding }
}

function columnsOf({ carrierAccount: carrier, fromNumber, toNumber, reference, total }: LongText) {
  return { carrier, from_number: fromNumber, to_number: toNumber, reference, total }
}
