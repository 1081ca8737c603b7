import type { Database } from '../connection.js'
import { runNamed } from '../named-statement.js'
import { toJson } from '../text.js'
import type { ApplicationKind } from './application.js'

export type OAuthRecordKind = 'Grant' | 'AuthorizationCode' | 'AccessToken' | 'RefreshToken' | 'Interaction'

export interface OAuthRecord {
  kind: OAuthRecordKind
  idHash: Buffer
  grantHash: Buffer | null
  clientId: string | null
  userId: string | null
  payload: object
  expiresInSeconds: number
}

export interface FoundOAuthRecord {
  payload: Record<string, unknown>
  consumedAt: Date | null
  secondsLeft: number
}

/** The rights of an application with an access token, and the user. */
export interface ApplicationAccess {
  applicationId: string
  kind: ApplicationKind
  userId: string
  scopes: string[]
}

/**
 * Making a refresh token uses its grant, which from then on lasts as long as the token does. A grant that has ended
 * stays ended.
 */
export async function upsertOAuthRecord(db: Database, record: OAuthRecord): Promise<void> {
  await db.raw(
    `with used as (
       update oauth_records set expires_at = now() + make_interval(secs => :expiresInSeconds),
         payload = jsonb_set(payload, '{exp}', to_jsonb(extract(epoch from now())::bigint + :expiresInSeconds))
       where :kind = 'RefreshToken' and kind = 'Grant' and id_hash = :grantHash and expires_at > now()
     )
     insert into oauth_records (kind, id_hash, grant_hash, application_id, user_id, payload, expires_at)
     values (:kind, :idHash, :grantHash, (select id from applications where client_id = :clientId), :userId,
       :payload::jsonb, now() + make_interval(secs => :expiresInSeconds))
     on conflict (kind, id_hash) do update
     set user_id = excluded.user_id, payload = excluded.payload, expires_at = excluded.expires_at`,
    { ...record, payload: toJson(record.payload) },
  )
}

/**
 * Within 30 s of its first use, a refresh token works once more: the response to the first use may have been lost, or
 * two processes of an application may have refreshed at the same time. The time is by Postgres's clock, which all
 * processes share.
 */
const IS_EXTRA_USE = `(kind = 'RefreshToken' and consumed_again_at is null
  and consumed_at > now() - interval '30 seconds')`

/**
 * Its last use has issued no tokens: they are still being made, or Postgres failed in the meantime. This is judged for
 * a day; expired access tokens are kept as long, because without them it would look as if there had been none.
 */
const HAS_NO_TOKENS = `(kind in ('AuthorizationCode', 'RefreshToken')
  and consumed_at > now() - interval '1 day'
  and (select count(distinct t.kind) from oauth_records t
    where t.grant_hash = oauth_records.grant_hash and t.kind in ('AccessToken', 'RefreshToken')
      and t.created_at >= coalesce(oauth_records.consumed_again_at, oauth_records.consumed_at)) < 2)`

/** How many seconds of a request's longest time are left to the last use. */
const SECONDS_LEFT = `(15 - extract(epoch from now() - coalesce(consumed_again_at, consumed_at)))`

/** Such a use no longer counts once its request must be over and cannot still be making tokens: nobody got any. */
const WAS_LOST = `(${HAS_NO_TOKENS} and ${SECONDS_LEFT} < 0)`

const MAY_BE_USED = `(consumed_at is null or ${IS_EXTRA_USE} or ${WAS_LOST})`

/**
 * Finds a record even if it has expired or was used up, which the caller distinguishes, but not one whose grant has
 * ended. `consumedAt` is null while it may be used, and while its last use has issued no tokens: there is nothing to
 * protect yet, and after `secondsLeft` it may be used again. The grants of a disabled user are not found until the user
 * is enabled again, so their tokens do nothing; but they can be revoked.
 */
export async function findOAuthRecord(
  db: Database,
  kind: OAuthRecordKind,
  idHash: Buffer,
): Promise<FoundOAuthRecord | undefined> {
  return db('oauth_records')
    .where({ kind, id_hash: idHash })
    .whereRaw(`(kind <> 'Grant' or expires_at > now())`)
    .whereRaw(
      `(kind in ('AccessToken', 'RefreshToken')
        or not exists (select from users u where u.id = user_id and u.disabled_at is not null))`,
    )
    .first<FoundOAuthRecord | undefined>([
      'payload',
      db.raw(
        `case when not (consumed_at is null or ${IS_EXTRA_USE} or ${HAS_NO_TOKENS}) then consumed_at end as "consumedAt"`,
      ),
      db.raw(`greatest(1, ceil(${SECONDS_LEFT}))::integer as "secondsLeft"`),
    ])
}

/** @returns false if it is used up; with concurrent uses, only as many as are allowed get true */
export async function consumeOAuthRecord(
  db: Database,
  kind: OAuthRecordKind,
  idHash: Buffer,
): Promise<boolean> {
  const query = db('oauth_records').where({ kind, id_hash: idHash }).whereRaw(MAY_BE_USED)
  const updated = await query.update({
    consumed_at: db.raw(`case when ${IS_EXTRA_USE} then consumed_at else now() end`),
    consumed_again_at: db.raw(`case when ${IS_EXTRA_USE} then now() end`),
  })
  return updated > 0
}

export async function deleteOAuthRecord(db: Database, kind: OAuthRecordKind, idHash: Buffer): Promise<void> {
  await db('oauth_records').where({ kind, id_hash: idHash }).delete()
}

/**
 * Immediately ends the grants of `which` and everything that they issued: no code and no token works without its grant.
 * The rows stay until `deleteOAuthRecords` finds them, because an application that refreshes often may have a million,
 * more than one statement can delete in its time.
 */
async function endGrants(
  db: Database,
  which: { id_hash?: Buffer; application_id?: string; user_id?: string },
): Promise<{ applicationId: string; userId: string }[]> {
  return db('oauth_records')
    .where({ ...which, kind: 'Grant' })
    .where('expires_at', '>', db.fn.now())
    .update({ expires_at: 'epoch' })
    .returning<{ applicationId: string; userId: string }[]>([
      'application_id as applicationId',
      'user_id as userId',
    ])
}

/** @returns its user; undefined if the grant had ended before */
export async function endOAuthGrant(
  db: Database,
  grantHash: Buffer,
): Promise<{ applicationId: string; userId: string } | undefined> {
  return (await endGrants(db, { id_hash: grantHash }))[0]
}

/** Ends everything that a user granted to applications. */
export async function endOAuthGrantsOfUser(db: Database, userId: string): Promise<void> {
  await endGrants(db, { user_id: userId })
}

/** Ends everything that all users, or one user, granted to an application. */
export async function endOAuthGrantsOf(db: Database, applicationId: string, userId?: string): Promise<void> {
  await endGrants(db, { application_id: applicationId, ...(userId === undefined ? {} : { user_id: userId }) })
}

/**
 * A token counts only with its grant: one that was being made while the grant was revoked has none. It does not count
 * while its user is disabled, nor while the application's owner is disabled and stopped.
 */
export async function findApplicationAccess(
  db: Database,
  tokenHash: Buffer,
): Promise<ApplicationAccess | undefined> {
  const [row] = await runNamed<ApplicationAccess>(
    db,
    'find_application_access',
    `select t.application_id as "applicationId", a.kind, t.user_id as "userId",
       string_to_array(t.payload ->> 'scope', ' ') as scopes
     from oauth_records t
     join oauth_records g on g.kind = 'Grant' and g.id_hash = t.grant_hash and g.expires_at > now()
     join applications a on a.id = t.application_id and a.deleted_at is null
     join users u on u.id = t.user_id and u.disabled_at is null
     join users o on o.id = a.user_id and o.stopped_at is null
     where t.kind = 'AccessToken' and t.id_hash = decode(?, 'hex') and t.expires_at > now()`,
    [tokenHash.toString('hex')],
  )
  return row
}

/**
 * Deletes expired records, everything issued by a grant that has ended, and grants without a living token. A grant of
 * the last hour stays: its tokens may not be made yet.
 *
 * @returns how many were deleted, at most `limit`
 */
export async function deleteOAuthRecords(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from oauth_records where (kind, id_hash) in (
       select kind, id_hash from (
         select kind, id_hash from oauth_records where kind <> 'Grant' and expires_at < now()
           and (kind <> 'AccessToken' or expires_at < now() - interval '1 day')
         union all
         select r.kind, r.id_hash from oauth_records g join oauth_records r on r.grant_hash = g.id_hash
         where g.kind = 'Grant' and g.expires_at < now()
         union all
         select g.kind, g.id_hash from oauth_records g
         where g.kind = 'Grant' and not exists (
             select from oauth_records r where r.grant_hash = g.id_hash
               and (r.expires_at > now() or g.expires_at < now()))
           and (g.expires_at < now() or g.created_at < now() - interval '1 hour')
       ) over_now limit ?)`,
    [limit],
  )
  return rowCount
}
