import type { Knex } from 'knex'
import type { Database } from '../connection.js'

export interface SignInAttempt {
  id: string
  accountHash: Buffer
  addressHash: Buffer
}

export interface AttemptLimits {
  perAccount: number
  perAddress: number
  /** The number of attempts that the account gets from the address after the address has used up its own. */
  perAccountBeyond: number
}

/**
 * Counts under locks, so that many simultaneous guesses cannot all see the last free place. Every caller takes the
 * account's lock before the address's, so that there is no deadlock.
 *
 * @returns undefined if the account or the address has had its attempts of the last 15 minutes. `isBeyond` is true if
 *   the address has used up its own.
 */
export async function insertAttempt(
  trx: Knex.Transaction,
  attempt: SignInAttempt,
  limits: AttemptLimits,
): Promise<{ isBeyond: boolean } | undefined> {
  // The locks are separate statements, because a count sees only what was committed before its statement began.
  for (const [seed, hash] of [attempt.accountHash, attempt.addressHash].entries()) {
    await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, ?))', [hash.toString('hex'), 2 + seed])
  }
  const { rows } = await trx.raw<{ rows: { isBeyond: boolean }[] }>(
    `with counted as (
       select
         (select count(*) from sign_in_attempts
          where account_hash = :accountHash and attempted_at > clock_timestamp() - interval '15 minutes') as of_account,
         (select count(*) from sign_in_attempts
          where address_hash = :addressHash and attempted_at > clock_timestamp() - interval '15 minutes') as of_address,
         (select count(*) from sign_in_attempts
          where account_hash = :accountHash and address_hash = :addressHash
            and attempted_at > clock_timestamp() - interval '15 minutes') as of_both
     )
     insert into sign_in_attempts (id, account_hash, address_hash)
     select :id, :accountHash, :addressHash from counted
     where of_account < :perAccount and (of_address < :perAddress or of_both < :perAccountBeyond)
     returning (select of_address >= :perAddress from counted) as "isBeyond"`,
    { ...attempt, ...limits },
  )
  return rows[0]
}

export async function deleteAttempt(db: Database, id: string): Promise<void> {
  await db('sign_in_attempts').where({ id }).delete()
}

/** Deletes the attempts that are too old to count. */
export async function deleteOldAttempts(db: Database): Promise<number> {
  return db('sign_in_attempts').whereRaw(`attempted_at < now() - interval '15 minutes'`).delete()
}
