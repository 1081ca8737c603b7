import { hasCode } from '../../errors.js'
import { FIRST_ID } from '../../ids.js'
import type { Database } from '../connection.js'
import { columnsOf, internal, type Row } from '../../shape.js'

/** A user's name for another party's number. It applies to all lines of the user. */
const FIELDS = {
  id: internal<string>('id'),
  number: internal<string>('number'),
  name: internal<string | null>('name'),
  /** If set, messages from the number are stored but create no events. */
  blockedAt: internal<Date | null>('blocked_at'),
  createdAt: internal<Date>('created_at'),
}

export type Contact = Row<typeof FIELDS>

const COLUMNS = columnsOf(FIELDS)

/** A field that is left out stays as it is. */
export interface ContactChange {
  name?: string | null | undefined
  isBlocked?: boolean | undefined
}

/** A reader of all pages gives `afterId`: with an offset it would miss one for each that is deleted meanwhile. */
export interface ContactPage {
  afterId?: string
  offset?: number
  limit: number
}

/** Lists the user's contacts, oldest first. */
export async function listContactsOf(
  db: Database,
  userId: string,
  { isBlocked }: { isBlocked?: boolean | undefined },
  { afterId = FIRST_ID, offset = 0, limit }: ContactPage,
): Promise<Contact[]> {
  return db('contacts')
    .where({ user_id: userId })
    .where('id', '>', afterId)
    .modify((query) => {
      if (isBlocked !== undefined) void query[isBlocked ? 'whereNotNull' : 'whereNull']('blocked_at')
    })
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .select<Contact[]>(db.raw(COLUMNS))
}

/** Returns those of the numbers that are contacts of the user. */
export async function findContactsOf(
  db: Database,
  userId: string,
  numbers: readonly string[],
): Promise<Contact[]> {
  return db('contacts')
    .where({ user_id: userId })
    .whereIn('number', [...new Set(numbers)])
    .select<Contact[]>(db.raw(COLUMNS))
}

/** The row stays locked until the transaction ends. */
export async function lockContact(
  trx: Database,
  userId: string,
  by: { id: string } | { number: string },
): Promise<Contact | undefined> {
  return trx('contacts')
    .where({ user_id: userId, ...by })
    .forUpdate()
    .first<Contact | undefined>(trx.raw(COLUMNS))
}

/** Makes a contact, or changes the one with this number. */
export async function upsertContact(
  trx: Database,
  { id, userId, number }: { id: string; userId: string; number: string },
  { name, isBlocked }: ContactChange,
): Promise<Contact> {
  const { rows } = await trx.raw<{ rows: [Contact] }>(
    `insert into contacts as c (id, user_id, number, name, blocked_at)
     values (:id, :userId, :number, :name, case when :isBlocked::boolean then clock_timestamp() end)
     on conflict (number, user_id) do update set
       name = case when :isNamed::boolean then excluded.name else c.name end,
       blocked_at = case
         when :isBlocked::boolean is null then c.blocked_at
         when :isBlocked::boolean then coalesce(c.blocked_at, excluded.blocked_at) end
     returning ${COLUMNS}`,
    { id, userId, number, name: name ?? null, isNamed: name !== undefined, isBlocked: isBlocked ?? null },
  )
  return rows[0]
}

const UNIQUE_VIOLATION = '23505'

/** @returns false if the user has another contact with this number; the transaction must be rolled back then */
export async function updateContactNumber(trx: Database, id: string, number: string): Promise<boolean> {
  try {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `update contacts c set number = :number where id = :id
         and not exists (select from contacts o where o.number = :number and o.user_id = c.user_id and o.id <> c.id)`,
      { id, number },
    )
    return rowCount > 0
  } catch (error) {
    // Another transaction, which has committed since this statement began, gave the number to a contact.
    if (hasCode(error, UNIQUE_VIOLATION)) return false
    throw error
  }
}
