import { randomBytes } from 'node:crypto'
import { createDataFolder, createTestDatabase, createTestRedis } from '../services/services.js'
import { forAllTests } from '../suite.js'

export type Environment = Record<string, string>

/** Called in the body of a `describe`: a configuration of its own for all of its tests together. */
export function environmentForAllTests(overrides: Environment = {}): Environment {
  return forAllTests(() => createEnvironment(overrides))
}

/** The configuration of a Linehook of its own, as a process would get it; overrides last. */
export async function createEnvironment(overrides: Environment = {}): Promise<Environment> {
  return {
    DATABASE_URL: overrides.DATABASE_URL ?? (await createTestDatabase()),
    REDIS_URL: overrides.REDIS_URL ?? (await createTestRedis()),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: 'silent',
    HOST: '127.0.0.1',
    REQUIRE_SECOND_FACTOR: 'off',
    SIMULATOR: 'true',
    MEDIA_FOLDER: createDataFolder('media'),
    ALLOW_HTTP: 'true',
    ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8,::1/128',
    ...overrides,
  }
}
