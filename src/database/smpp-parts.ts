import type { Database } from './connection.js'

/** What the parts of one text have in common. */
export interface LongText {
  carrier: string
  fromNumber: string
  toNumber: string
  reference: number
  total: number
}

export interface Part {
  id: string
  /** From 1. */
  number: number
  /** UTF-16. */
  text: Buffer
}

export async function insertPart(db: Database, longText: LongText, part: Part): Promise<void> {
  await db('smpp_parts').insert({ ...columnsOf(longText), id: part.id, number: part.number, text: part.text })
}

/** Oldest first. There may be more than `total`: a phone has few references, and uses them again. */
export async function listParts(db: Database, longText: LongText): Promise<Part[]> {
  return db('smpp_parts').where(columnsOf(longText)).orderBy('id').select<Part[]>('id', 'number', 'text')
}

/** All or none. @returns false when another took one of them first */
export async function takeParts(db: Database, ids: readonly string[]): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `with mine as (select id from smpp_parts where id = any (:ids::uuid[]) order by id for update)
     delete from smpp_parts where id in (select id from mine) and (select count(*) from mine) = :count
     returning id`,
    { ids: [...ids], count: ids.length },
  )
  return rows.length > 0
}

/** Texts that have had no new part for so long, which is not to be awaited any more. */
export async function listStaleTexts(db: Database, ms: number, limit: number): Promise<LongText[]> {
  const { rows } = await db.raw<{ rows: LongText[] }>(
    `select carrier, from_number as "fromNumber", to_number as "toNumber", reference, total
     from smpp_parts group by 1, 2, 3, 4, 5
     having max(created_at) < clock_timestamp() - ? * interval '1 ms' limit ?`,
    [ms, limit],
  )
  return rows
}

function columnsOf({ carrier, fromNumber, toNumber, reference, total }: LongText) {
  return { carrier, from_number: fromNumber, to_number: toNumber, reference, total }
}
