import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hasCode, UserError } from '../../src/errors.js'

/** The folder for everything that the embedded set-up keeps: the services' data, generated secrets, and what runs now. */
export const DATA_FOLDER = resolve('.data')

interface EmbeddedSettings {
  encryptionKey: string
  queuesPassword: string
  receiverPort?: number
}

const settingsPath = join(DATA_FOLDER, 'settings.json')
const servicesPath = join(DATA_FOLDER, 'services.json')

/**
 * The settings that are used when nothing is configured: generated secrets and the simulator. URLs on this machine are
 * allowed, because everything listens on loopback only.
 */
export function embeddedEnvironment(): Record<string, string> {
  const { encryptionKey, queuesPassword } = embeddedSettings()
  return {
    HOST: '127.0.0.1',
    ENCRYPTION_KEY: encryptionKey,
    QUEUES_PASSWORD: queuesPassword,
    REQUIRE_SECOND_FACTOR: 'off',
    SIMULATOR: 'true',
    ALLOW_HTTP: 'true',
    ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8,::1/128',
  }
}

/** The settings for other commands in this folder. If `linehook start` runs here now, they have its URLs. */
export function runningEnvironment(): Record<string, string> {
  return { ...embeddedEnvironment(), ...(readJson(servicesPath) as Record<string, string> | undefined) }
}

/** The environment without empty variables, because `VAR=` in an env file means "not set". */
export function givenEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
}

/** @throws UserError if its file is damaged, or a link that leads nowhere */
export function embeddedSettings(): EmbeddedSettings {
  const known = readSettings()
  if (known) return known
  writeFirst(settingsPath, {
    encryptionKey: randomBytes(32).toString('base64'),
    queuesPassword: randomBytes(12).toString('base64url'),
  })
  const kept = readSettings()
  if (!kept)
    throw new UserError(
      `${settingsPath} leads to a file that is not there. The key of this folder's secrets is in it`,
    )
  return kept
}

function readSettings(): EmbeddedSettings | null | undefined {
  return readJson(settingsPath) as EmbeddedSettings | null | undefined
}

export function keepReceiverPort(receiverPort: number): void {
  writeJson(settingsPath, { ...embeddedSettings(), receiverPort })
}

/** Keeps the URLs for `runningEnvironment`: a command that prints a URL must know where `web` is. */
export function keepRunning(running: { databaseUrl: string; redisUrl: string; publicUrl: string }): void {
  const { databaseUrl, redisUrl, publicUrl } = running
  writeJson(servicesPath, { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, PUBLIC_URL: publicUrl })
}

/** @throws UserError if the file is damaged */
function readJson(path: string): unknown {
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8')
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new UserError(
      path === settingsPath
        ? `${path} is damaged. The key of this folder's secrets is in it, so restore it from a backup`
        : `${path} is damaged. Delete it; the next start writes it again`,
    )
  }
}

/** Other users may not list it, but another account must pass through it to Postgres's own folder. */
export function makeDataFolder(): void {
  mkdirSync(DATA_FOLDER, { recursive: true, mode: 0o711 })
}

function writeJson(path: string, value: unknown): void {
  renameSync(writeUnfinished(path, value), path)
}

/**
 * Writes the file unless there is one. Of two commands that make a key at the same moment, both must use the same one:
 * nothing would open what was encrypted with the other.
 */
function writeFirst(path: string, value: unknown): void {
  const unfinished = writeUnfinished(path, value)
  try {
    linkSync(unfinished, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(unfinished)
  }
}

/**
 * Writes a whole file beside its place, so that nobody ever reads half of it there. Only this user may read it, because
 * it holds secrets. It is on the disk when this returns: the key must outlive a power failure, as everything that is
 * encrypted with it does.
 */
function writeUnfinished(path: string, value: unknown): string {
  makeDataFolder()
  const unfinished = `${path}.${process.pid}.new`
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, JSON.stringify(value, null, 2), { mode: 0o600, flush: true })
  return unfinished
}

/** What to do about secrets that the key of this folder does not open. */
export const OTHER_KEY_CURE =
  'The key is in .data/settings.json of the folder that encrypted them: stop Linehook and copy that file to .data here. ' +
  'If you no longer have it, enter these secrets again.'
