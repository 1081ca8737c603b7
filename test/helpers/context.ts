import { readConfig } from '../../src/config.js'
import { createContext, type Context } from '../../src/domain/context.js'
import { whenReady } from '../../src/redis.js'
import { createEnvironment, type Environment } from './environment.js'

/** A context over a database and a Redis of its own. The caller closes it: `after(() => context.close())`. */
export async function createTestContext(overrides: Environment = {}): Promise<Context> {
  const context = createContext(readConfig(await createEnvironment(overrides)), { process: 'test' })
  await whenReady(context.redis)
  return context
}
