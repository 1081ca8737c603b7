import { asError } from '../../src/errors.js'
import { readDatabaseIdentity } from '../../src/database/operating/identity.js'
import { listDatabasesInUse, SHARED_REDIS, UNKNOWN_SHARING } from '../../src/domain/operating/shared-redis.js'
import { readRedisFacts } from '../../src/kit/redis/redis-facts.js'
import { fault, ok, warning, type Check, type Finding } from './check.js'
import { greetingAt, probe, placeOf, withoutPassword } from './place.js'
import { postgres } from './postgres.js'
import { isGiven, PATIENCE_MS, type Subject } from './subject.js'

const STANDARD_PORT = 6379
const CONFIGURATION = 'see docs/configuration.md'

export const redisServer: Check = {
  name: 'Redis',
  look: async (subject) => {
    const { config, redis } = subject
    if (!isGiven(subject, 'REDIS_URL')) {
      return fault(
        'REDIS_URL is missing or invalid.',
        'Set REDIS_URL to redis://user:password@host:port/number.',
      )
    }
    const { redisSentinels: sentinels } = config
    // With Sentinels, the host in the URL is the name of a master, which has no address to connect to.
    const place = sentinels === undefined ? placeOf(config.redisUrl, STANDARD_PORT) : undefined
    const name =
      sentinels === undefined
        ? `Redis at ${place?.name ?? 'REDIS_URL'}`
        : `Redis (Sentinel master ${new URL(config.redisUrl).hostname})`
    const closed = place && (await probe(place))
    if (closed !== undefined)
      return fault(`${name} ${closed}.`, 'Start Redis, or correct the host and port in REDIS_URL.')
    try {
      await redis.connect()
      // Unlike PING, this needs the password, if there is one, and the database of the URL.
      await redis.exists('linehook:doctor')
    } catch (error) {
      return explain(name, error, subject, place && (await greetingAt(place)))
    }
    const server = await redis.info().catch(() => '')
    const read = (field: string) => new RegExp(`^${field}:(\\S+)`, 'm').exec(server)?.[1]
    if (read('role') === 'slave')
      return fault(`${name} is a replica, which is read-only.`, 'Point REDIS_URL at the primary.')
    const version = read('valkey_version') ?? read('redis_version')
    return ok(`${name} ${version === undefined ? 'responds' : `is version ${version} and responds`}.`)
  },
}

function explain(
  name: string,
  error: unknown,
  { config, ...subject }: Subject,
  greeting: string | undefined,
): Finding {
  // ioredis's error says only that the connection is closed; the greeting said why.
  const thrown = asError(error)
  const isClosed = thrown.message.startsWith('Connection is closed')
  const cause = isClosed ? (subject.redisError()?.message ?? greeting ?? thrown.message) : thrown.message
  const said = withoutPassword(cause, config.redisUrl).replace(/\.$/, '')
  if (/^(NOAUTH|WRONGPASS|NOPERM|ERR AUTH)/.test(said)) {
    return fault(`${name} rejected the sign-in: ${said}.`, 'Correct the user and the password in REDIS_URL.')
  }
  if (said.startsWith('LOADING'))
    return warning(
      `${name} is still loading its data.`,
      'Wait until it is done. Nothing is lost in the meantime.',
    )
  if (/timed out|timeout|ETIMEDOUT/i.test(said)) {
    return fault(
      `${name} accepts connections but did not respond within ${PATIENCE_MS / 1000} s.`,
      'Check whether its machine is stuck or a slow script is running, then restart it.',
    )
  }
  if (config.redisSentinels !== undefined) {
    const cure = 'Correct REDIS_SENTINELS, REDIS_SENTINEL_PASSWORD or the name of the master in REDIS_URL.'
    return fault(`${name} could not be found through Sentinel: ${said}.`, cure)
  }
  return fault(`${name}: ${said}.`, 'Correct REDIS_URL, or fix the problem that Redis reports.')
}

export const redisPolicy: Check = {
  name: 'Redis policy',
  needs: redisServer.name,
  look: async ({ redis }) => {
    const { policy } = await readRedisFacts(redis).catch(() => UNTOLD)
    if (policy === null)
      return warning(
        'Redis does not reveal its maxmemory-policy.',
        `Make sure that it is noeviction; ${CONFIGURATION}.`,
      )
    if (policy === 'noeviction') return ok('maxmemory-policy is noeviction.')
    return fault(
      `maxmemory-policy is ${policy}, so a full Redis drops jobs, and workers refuse to start.`,
      'Set `maxmemory-policy noeviction` in redis.conf, or `redis-cli config set maxmemory-policy noeviction`.',
    )
  },
}

export const redisAof: Check = {
  name: 'Redis AOF',
  needs: redisServer.name,
  look: async ({ redis }) => {
    const { hasAof, isAofWritten } = await readRedisFacts(redis).catch(() => UNTOLD)
    if (hasAof === null)
      return warning(
        'Redis does not reveal whether it writes an AOF.',
        `Make sure that appendonly is yes; ${CONFIGURATION}.`,
      )
    if (!hasAof) {
      return fault(
        'appendonly is no, so Redis starts empty after a crash, and workers refuse to start.',
        'Set `appendonly yes` in redis.conf, or `redis-cli config set appendonly yes`.',
      )
    }
    if (isAofWritten === false) {
      return fault('Redis could not write its AOF and now refuses writes.', 'Check whether its disk is full.')
    }
    return ok('appendonly is yes, and the last write worked.')
  },
}

export const redisSharing: Check = {
  name: 'Redis sharing',
  needs: redisServer.name,
  after: [postgres.name],
  look: async ({ db, redis }, works) => {
    if (!works(postgres.name)) {
      return warning('Not compared with Postgres, because of the problem with Postgres.', 'Fix that first.')
    }
    const [own, inUse] = [await readDatabaseIdentity(db), await listDatabasesInUse(redis)]
    if (own === undefined) return warning(UNKNOWN_SHARING.why, UNKNOWN_SHARING.cure)
    if (inUse.some((each) => each !== own)) return fault(SHARED_REDIS.why, SHARED_REDIS.cure)
    return ok('No other installation uses this Redis database.')
  },
}

const UNTOLD = { policy: null, hasAof: null, isAofWritten: null }
