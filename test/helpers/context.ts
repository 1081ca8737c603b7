import type { CARRIER_KINDS } from '../../src/carriers/registry.js'
import { readConfig } from '../../src/config.js'
import { createContext, type Context } from '../../src/domain/context.js'
import { whenReady } from '../../src/redis.js'
import { createEnvironment, type Environment } from './environment.js'

/** A context over a database and a Redis of its own. The caller closes it: `after(() => context.close())`. */
export async function createTestContext(
  overrides: Environment = {},
  options: {
    carrierKinds?: typeof CARRIER_KINDS
    statementTimeoutMs?: number
    acquireTimeoutMs?: number
  } = {},
): Promise<Context> {
  const config = readConfig(await createEnvironment(overrides))
  const context = createContext(config, { process: 'test', ...options })
  await whenReady(context.redis)
  return context
}
