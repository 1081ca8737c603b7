import { readDatabaseIdentity } from '../../database/operating/identity.js'
import { asError } from '../../errors.js'
import { whenReady } from '../../kit/redis/redis.js'
import { QUEUE_PREFIX } from '../../queues/queues.js'
import type { Context } from '../context.js'

/** The databases whose processes use this Redis, by the second in which each was last recorded. */
const KEY = `${QUEUE_PREFIX}:databases`

/**
 * A database that has not been recorded for this long is no longer in use. So nobody has to do anything about a new
 * Postgres, after a restore or an upgrade, or about a Redis that was emptied. `maintenance` records its own database
 * several times in this period.
 */
const IN_USE_SECONDS = 60

export const SHARED_REDIS = {
  why:
    "Processes with another Postgres database also use this Redis database, so each installation takes the other's jobs, " +
    'and messages and events are delayed.',
  cure: 'Give each installation its own Redis database in REDIS_URL.',
} as const

export const UNKNOWN_SHARING = {
  why:
    'The Postgres role may not call pg_control_system(), so Linehook cannot tell whether another installation also uses ' +
    'this Redis database.',
  cure: 'Run `grant execute on function pg_control_system() to <role>` as a superuser of Postgres.',
} as const

type Stores = Pick<Context, 'db' | 'redis' | 'log'>

/** Lists the databases that are in use with this Redis. */
export async function listDatabasesInUse(redis: Context['redis']): Promise<string[]> {
  return redis.zrangebyscore(KEY, (await secondOf(redis)) - IN_USE_SECONDS, '+inf')
}

/** The connections of this process on which another installation, or a possible one, has been reported. */
const reported = new WeakSet<Context['redis']>()

/** Records that this database is in use, and warns once if another one is too, or if that cannot be determined. */
export async function watchSharedRedis({ db, redis, log }: Stores): Promise<void> {
  const own = await readDatabaseIdentity(db)
  if (own === undefined) {
    reportOnce(redis, () => {
      log.info({ reason: UNKNOWN_SHARING.why, advice: UNKNOWN_SHARING.cure }, 'redis.sharing_unknown')
    })
    return
  }
  const now = await secondOf(redis)
  await redis.zremrangebyscore(KEY, '-inf', now - IN_USE_SECONDS)
  await redis.zadd(KEY, now, own)
  if ((await listDatabasesInUse(redis)).length < 2) {
    reported.delete(redis)
  } else {
    reportOnce(redis, () => {
      log.warn({ reason: SHARED_REDIS.why, advice: SHARED_REDIS.cure }, 'redis.shared')
    })
  }
}

function reportOnce(redis: Context['redis'], report: () => void): void {
  if (reported.has(redis)) return
  reported.add(redis)
  report()
}

/** The machines' clocks may differ, so the clock of Redis counts. */
async function secondOf(redis: Context['redis']): Promise<number> {
  const [second] = await redis.time()
  return Number(second)
}

/** Checks once, as soon as Redis can be reached. The process starts whatever the result. */
export async function warnOfSharedRedis(context: Stores): Promise<void> {
  try {
    await whenReady(context.redis)
    await watchSharedRedis(context)
  } catch (error) {
    context.log.debug({ err: asError(error) }, 'redis.sharing_unknown')
  }
}
