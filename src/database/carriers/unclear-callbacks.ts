import type { Database } from '../connection.js'
import { columnsOf, internal, type Row } from '../../shape.js'

/** A carrier's request that was not understood. */
const FIELDS = {
  id: internal<string>('id'),
  /** Which of our URLs was called. */
  name: internal<string>('name'),
  /** The part that is not understood, in words. */
  why: internal<string>('why'),
  method: internal<string>('method'),
  /** The query without our secret. */
  query: internal<string>('query'),
  contentType: internal<string>('content_type'),
  body: internal<Buffer>('body'),
  /** The number of times that it came. */
  count: internal<number>('count'),
  firstAt: internal<Date>('first_at'),
  lastAt: internal<Date>('last_at'),
}

export type UnclearCallback = Row<typeof FIELDS>

export type NewUnclearCallback = Omit<UnclearCallback, 'count' | 'firstAt' | 'lastAt'> & {
  accountId: string
  /** A digest of everything that the carrier sent: a repeat is counted instead of making a second row. */
  digest: Buffer
}

/** Stores a request, and keeps only the account's newest requests, `maxKept` in all. */
export async function insertUnclearCallback(
  db: Database,
  { accountId, ...callback }: NewUnclearCallback,
  maxKept: number,
): Promise<void> {
  await db.raw(
    `insert into unclear_callbacks as u (id, account_id, digest, name, why, method, query, content_type, body)
     select :id, a.id, :digest, :name, :why, :method, :query, :contentType, :body
     from carrier_accounts a where a.id = :accountId
     on conflict (account_id, digest) do update set count = u.count + 1, last_at = clock_timestamp(), why = excluded.why`,
    { accountId, ...callback },
  )
  await db.raw(
    `delete from unclear_callbacks where id in (
       select id from unclear_callbacks where account_id = :accountId order by last_at desc, id desc offset :maxKept)`,
    { accountId, maxKept },
  )
}

/** Lists the requests of an account, newest first. */
export async function listUnclearCallbacks(db: Database, accountId: string): Promise<UnclearCallback[]> {
  return db('unclear_callbacks')
    .where({ account_id: accountId })
    .orderBy([
      { column: 'last_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .select<UnclearCallback[]>(db.raw(columnsOf(FIELDS)))
}

export async function deleteOldUnclearCallbacks(db: Database, keptDays: number): Promise<number> {
  return db('unclear_callbacks').whereRaw('last_at < now() - make_interval(days => ?)', [keptDays]).delete()
}

/** Deletes the requests that contain a phone number, given in E.164. */
export async function deleteUnclearCallbacksOf(db: Database, number: string): Promise<void> {
  await db.raw(
    `delete from unclear_callbacks where exists (
       select from unnest(:forms::text[]) f(digits)
       where position(convert_to(f.digits, 'UTF8') in body) > 0 or position(f.digits in query) > 0
         or position(f.digits in why) > 0)`,
    { forms: formsOf(number.slice(1)) },
  )
}

/**
 * The digits of a number as carriers write them. Anything received in a session is stored in hexadecimal: SMPP has the
 * digits as text, and a modem in pairs, with the second digit first.
 */
function formsOf(digits: string): string[] {
  const pairs = digits.length % 2 === 0 ? digits : `${digits}f`
  return [digits, Buffer.from(digits).toString('hex'), pairs.replace(/(.)(.)/g, '$2$1')]
}
