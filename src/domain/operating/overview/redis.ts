import { Unavailable } from '../../../errors.js'
import { IS_REFUSED, readRedisFacts, type RedisFacts } from '../../../kit/redis/redis-facts.js'
import type { Context } from '../../context.js'
import { listDatabasesInUse, SHARED_REDIS } from '../shared-redis.js'
import { describeBytes } from './figures.js'
import { moodOfShare, serviceView, type ServiceFault, type ServiceView } from './service.js'

/** @throws Unavailable */
export async function viewRedis({ redis }: Pick<Context, 'redis'>): Promise<ServiceView> {
  if (redis.status !== 'ready') throw new Unavailable(UNREACHED)
  try {
    const isShared = (await listDatabasesInUse(redis)).length > 1
    const facts = await readRedisFacts(redis).catch((error: unknown) => {
      if (!IS_REFUSED.test(String(error))) throw error
      return undefined
    })
    return judgeRedis(facts, isShared)
  } catch (error) {
    throw new Unavailable(UNREACHED, 5, { cause: error })
  }
}

const UNREACHED = 'Redis is unreachable. Check REDIS_URL'

/**
 * Without a limit of its own, Redis can use the machine's memory.
 *
 * @param facts undefined if Redis does not report them
 */
export function judgeRedis(facts: RedisFacts | undefined, isShared: boolean): ServiceView {
  const faults: ServiceFault[] = isShared
    ? [{ mood: 'bad', text: `${SHARED_REDIS.why} ${SHARED_REDIS.cure}` }]
    : []
  if (facts === undefined) {
    return serviceView(faults, [['State', 'responding, but its INFO command is not available']])
  }
  const { policy, hasAof, isAofWritten, usedBytes, maxBytes, machineBytes } = facts
  if (policy !== null && policy !== 'noeviction') {
    faults.push({
      mood: 'bad',
      text:
        `Its maxmemory-policy is ${policy}, so it may drop jobs, and workers refuse to start. Set it to noeviction ` +
        '(`CONFIG SET maxmemory-policy noeviction`, and in redis.conf).',
    })
  }
  if (hasAof === false) {
    faults.push({
      mood: 'bad',
      text:
        'Its append-only file is off, so a crash would lose all jobs, and workers refuse to start. Set ' +
        'appendonly to yes (`CONFIG SET appendonly yes`, and in redis.conf).',
    })
  }
  if (isAofWritten === false) {
    faults.push({
      mood: 'bad',
      text: 'It could not write its append-only file. Check its disk and its log.',
    })
  }
  const hasLimit = maxBytes !== null && maxBytes > 0
  const room = hasLimit ? maxBytes : machineBytes
  const fullness = usedBytes === null || !room ? undefined : moodOfShare(usedBytes / room)
  if (fullness !== undefined && usedBytes !== null && room !== null) {
    faults.push({
      mood: fullness,
      text:
        `It uses ${describeBytes(usedBytes)} of ${describeBytes(room)}. When it is full, Redis accepts no more jobs. ` +
        (hasLimit ? 'Raise maxmemory.' : 'Give it more memory.'),
    })
  }
  return serviceView(faults, [
    ['Version', facts.version ?? 'Unknown'],
    ['Memory', memoryWords(usedBytes, hasLimit ? maxBytes : null)],
    ['When memory is full', policy ?? 'Unknown'],
    ['Append-only file', hasAof === null ? 'Unknown' : hasAof ? 'On' : 'Off'],
  ])
}

function memoryWords(usedBytes: number | null, maxBytes: number | null): string {
  if (usedBytes === null) return 'Unknown'
  return `${describeBytes(usedBytes)} ${maxBytes === null ? 'used, without a limit' : `of ${describeBytes(maxBytes)}`}`
}
