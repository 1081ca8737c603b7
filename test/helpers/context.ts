import type { Suite } from 'mocha'
import type { CARRIER_KINDS } from '../../src/carriers/registry.js'
import { readConfig } from '../../src/config.js'
import type { Context } from '../../src/domain/context.js'
import { createContext } from '../../src/domain/open-context.js'
import { whenReady } from '../../src/kit/redis/redis.js'
import { createEnvironment, type Environment } from './process/environment.js'
import { describeWith, openForSuite } from './suite.js'

interface ProcessOptions {
  carrierKinds?: typeof CARRIER_KINDS
  statementTimeoutMs?: number
  acquireTimeoutMs?: number
  callersWaitMs?: number
}

export interface ContextOptions extends ProcessOptions {
  /** What differs from the configuration that tests have otherwise. */
  environment?: Environment
}

type Body = (this: Suite, context: Context) => void

/** A `describe` whose tests share a context over a database and a Redis of its own. */
export function describeContext(title: string, body: Body): void
export function describeContext(title: string, options: ContextOptions, body: Body): void
export function describeContext(title: string, ...rest: [Body] | [ContextOptions, Body]): void {
  const [{ environment, ...options }, body]: [ContextOptions, Body] = rest.length === 1 ? [{}, rest[0]] : rest
  describeWith(title, () => createTestContext(environment, options), body)
}

/**
 * The context of a second process of the same service: with the database, the Redis and the keys of the first. Called
 * in the body of `describeContext`.
 */
export function joinService(first: Context, overrides: Environment = {}): Context {
  return openForSuite(() => createJoinedContext(first, overrides))
}

/** As `joinService`, and the caller closes it. */
export function createJoinedContext(
  first: Context,
  overrides: Environment = {},
  options: ProcessOptions = {},
): Promise<Context> {
  const { databaseUrl, redisUrl, encryptionKeys } = first.config
  const environment = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEY: encryptionKeys.map((key) => key.toString('base64')).join(','),
    ...overrides,
  }
  return createTestContext(environment, options)
}

/** Each one plans the large statements for itself, and a test seldom asks more than this at once. */
const FEW_CONNECTIONS = { DATABASE_POOL_SIZE: '4' }

/** For a context that is not a whole suite's. The caller closes it: `after(() => context.close())`. */
export async function createTestContext(
  overrides: Environment = {},
  options: ProcessOptions = {},
): Promise<Context> {
  const config = readConfig(await createEnvironment({ ...FEW_CONNECTIONS, ...overrides }))
  const context = createContext(config, {
    process: 'test',
    // Not as short as in `web`: a machine that runs tests may have no time.
    callersWaitMs: 10_000,
    ...options,
  })
  await whenReady(context.redis)
  return context
}
