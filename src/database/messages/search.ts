import { columnsOf } from '../../shape.js'
import type { Database } from '../connection.js'
import { MESSAGE_FIELDS, type Message } from './message.js'
import { CONTACT_NUMBER } from './reading.js'
import { linesThat, listOfLines, LOOKED_THROUGH, readList, type Condition } from '../lists.js'
import type { User } from '../people/users.js'

/** The most of each kind: a user who needs more than a screen of them can refine the search. */
export const MAX_FOUND = 20

/** The user whose data are searched; if left out, those of all users are. */
export interface Scope {
  userId?: string
}

export interface FoundLine {
  id: string
  number: string
  name: string
  userId: string
  ownerEmail: string
}

/** A message and its owner, for readers who are not the owner. */
export type FoundMessage = Message & { userId: string; ownerEmail: string; lineName: string }

const OF_MESSAGE = `${columnsOf(MESSAGE_FIELDS)}, m.user_id as "userId", u.email as "ownerEmail", l.name as "lineName"`

const isTheirs = (column: string, { userId }: Scope) =>
  userId === undefined ? { sql: '', bindings: [] } : { sql: ` and ${column} = ?::uuid`, bindings: [userId] }

/** Finds the message that has this id, or whose event, delivery or copy of media has it. */
export async function findMessagesById(db: Database, scope: Scope, id: string): Promise<FoundMessage[]> {
  const theirs = isTheirs('m.user_id', scope)
  const { rows } = await db.raw<{ rows: FoundMessage[] }>(
    `with named as (
       select ?::uuid as id
       union select message_id from events where id = ?::uuid
       union select e.message_id from deliveries d join events e on e.id = d.event_id where d.id = ?::uuid
       union select message_id from media where id = ?::uuid
     )
     select ${OF_MESSAGE} from named join messages m on m.id = named.id
     join lines l on l.id = m.line_id join users u on u.id = m.user_id
     where true${theirs.sql}`,
    [id, id, id, id, ...theirs.bindings],
  )
  return rows
}

/** Finds messages by the carrier's id; two accounts may use the same id, and an account may reuse it. */
export async function findMessagesByCarrierId(
  db: Database,
  scope: Scope,
  carrierMessageId: string,
): Promise<FoundMessage[]> {
  const theirs = isTheirs('m.user_id', scope)
  const { rows } = await db.raw<{ rows: FoundMessage[] }>(
    `select ${OF_MESSAGE} from (
       select message_id from carrier_message_ids
       where carrier in (select name from carrier_accounts) and carrier_message_id = ?
       union
       select message_id from carrier_message_ids_again
       where carrier in (select name from carrier_accounts) and carrier_message_id = ?
     ) c join messages m on m.id = c.message_id
     join lines l on l.id = m.line_id join users u on u.id = m.user_id
     where true${theirs.sql}`,
    [carrierMessageId, carrierMessageId, ...theirs.bindings],
  )
  return rows
}

/** Finds the newest messages with this sender's reference, looked up in the index for each line. */
export function findMessagesByClientRef(
  db: Database,
  scope: Scope,
  clientRef: string,
): Promise<FoundMessage[]> {
  return newest(db, scope, 'messages m', ['m.client_ref = ?', clientRef])
}

/**
 * Finds the newest messages whose other party's number contains these digits. A whole number is looked up in the
 * index of each line; a part of one is searched in the newest messages of each.
 */
export function findMessagesByNumber(
  db: Database,
  scope: Scope,
  { digits, isWhole }: { digits: string; isWhole: boolean },
): Promise<FoundMessage[]> {
  if (isWhole) return newest(db, scope, 'messages m', [`${CONTACT_NUMBER} = ?`, `+${digits}`])
  return newest(db, scope, LATEST, [`position(? in ${CONTACT_NUMBER}) > 0`, digits])
}

/** Finds those of the newest messages that have these words in their text, ignoring case. */
export function findMessagesByText(db: Database, userId: string, words: string): Promise<FoundMessage[]> {
  return newest(db, { userId }, LATEST, ['has_words(m.text, ?)', words])
}

const LATEST = `(select * from messages m where m.line_id = l.id order by m.id desc limit ${LOOKED_THROUGH}) m`

function newest(db: Database, { userId }: Scope, from: string, that: Condition): Promise<FoundMessage[]> {
  const source = { alias: 'm', from, columns: OF_MESSAGE, where: [that] }
  const join = ' join users u on u.id = l.user_id'
  return readList(db, listOfLines(linesThat(userId, {}), [source], { limit: MAX_FOUND }, { join }))
}

/** @param digits the digits of a part of the number; '' if there are none */
export async function findLines(
  db: Database,
  scope: Scope,
  { id, words, digits }: { id: string | null; words: string; digits: string },
): Promise<FoundLine[]> {
  const theirs = isTheirs('l.user_id', scope)
  const { rows } = await db.raw<{ rows: FoundLine[] }>(
    `select l.id, l.number, l.name, l.user_id as "userId", u.email as "ownerEmail"
     from lines l join users u on u.id = l.user_id
     where (l.id = ?::uuid or ${has('l.name')} or (?::text <> '' and position(?::text in l.number) > 0))${theirs.sql}
     order by l.name, l.id limit ${MAX_FOUND}`,
    [id, words, digits, digits, ...theirs.bindings],
  )
  return rows
}

export interface FoundApplication {
  id: string
  name: string
  userId: string
  ownerEmail: string
}

export async function findApplications(
  db: Database,
  scope: Scope,
  { id, words }: { id: string | null; words: string },
): Promise<FoundApplication[]> {
  const theirs = isTheirs('a.user_id', scope)
  const { rows } = await db.raw<{ rows: FoundApplication[] }>(
    `select a.id, a.name, a.user_id as "userId", u.email as "ownerEmail"
     from applications a join users u on u.id = a.user_id
     where a.deleted_at is null and (a.id = ?::uuid or a.client_id = ? or ${has('a.name')})${theirs.sql}
     order by a.name, a.id limit ${MAX_FOUND}`,
    [id, words, words, ...theirs.bindings],
  )
  return rows
}

export interface FoundEndpoint {
  id: string
  name: string | null
  url: string
}

/** Finds the user's endpoints: those of lines, of applications and of the account. */
export async function findEndpoints(
  db: Database,
  userId: string,
  { id, words }: { id: string | null; words: string },
): Promise<FoundEndpoint[]> {
  const { rows } = await db.raw<{ rows: FoundEndpoint[] }>(
    `select e.id, e.name, e.url from endpoints e
     where e.user_id = ? and e.removed_at is null and (e.id = ?::uuid or ${has('e.url')} or ${has('e.name')})
     order by e.name, e.url, e.id limit ${MAX_FOUND}`,
    [userId, id, words, words],
  )
  return rows
}

export interface FoundContact {
  number: string
  name: string
}

/** Finds the user's contacts with such a name. */
export async function findContactsByName(
  db: Database,
  userId: string,
  words: string,
): Promise<FoundContact[]> {
  const { rows } = await db.raw<{ rows: FoundContact[] }>(
    `select number, name from contacts where user_id = ? and ${has('name')} order by name, id limit ${MAX_FOUND}`,
    [userId, words],
  )
  return rows
}

export type FoundUser = Pick<User, 'id' | 'email' | 'name' | 'role'>

export async function findUsers(
  db: Database,
  { id, words }: { id: string | null; words: string },
): Promise<FoundUser[]> {
  const { rows } = await db.raw<{ rows: FoundUser[] }>(
    `select id, email, name, role from users
     where id = ?::uuid or ${has('email')} or ${has('name')} order by email limit ${MAX_FOUND}`,
    [id, words, words],
  )
  return rows
}

const has = (column: string) => `has_words(${column}, ?)`
