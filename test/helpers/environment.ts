import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { createTestDatabase, createTestRedis } from './services.js'

export type Environment = Record<string, string>

/** The configuration of a Linehook of its own, as a process would get it; overrides last. */
export async function createEnvironment(overrides: Environment = {}): Promise<Environment> {
  return {
    DATABASE_URL: await createTestDatabase(),
    REDIS_URL: await createTestRedis(),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: 'silent',
    HOST: '127.0.0.1',
    SIMULATOR: 'true',
    // Below the run's own folder (global.ts), which is deleted after it.
    MEDIA_FOLDER: resolve(`.data/test-${process.pid}/media`),
    ALLOW_HTTP: 'true',
    ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8,::1/128',
    ...overrides,
  }
}
