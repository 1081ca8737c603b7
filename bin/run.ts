import { existsSync } from 'node:fs'
import { stringify } from 'csv-stringify/sync'
import { DATA_FOLDER, givenEnvironment, runningEnvironment } from '../dev/services/embedded.js'
import { readConfig, withSecretFiles } from '../src/config.js'
import { ConfigInvalid } from '../src/config/invalid.js'
import { actingAs, type Context } from '../src/domain/context.js'
import { createContext } from '../src/domain/open-context.js'
import { CSV } from '../src/kit/text/csv.js'
import { CannotConnect } from '../src/database/outage.js'
import { asError, Unavailable, UserError } from '../src/errors.js'
import { commandLineActor } from './actor.js'
import { describeFileFault } from './file-fault.js'
import { inOptions } from './option-names.js'
import { printableFor } from './terminal.js'
import { NOT_ALLOWED } from '../src/database/operating/identity.js'

/**
 * Runs a command on the service's data. The exit code is 0, or 1 with one line that says what was wrong.
 *
 * @param work gives the result that `--json` prints, and the lines for a person
 */
export async function run(
  options: Printing,
  work: (context: Context) => Promise<{ result: unknown; lines: string[]; hasColours?: boolean }>,
  limits: { statementTimeoutMs?: number } = {},
): Promise<void> {
  await withContext(
    options,
    async (context) => {
      const { result, lines, hasColours } = await work(context)
      print(options, result, lines, { hasColours })
    },
    limits,
  )
}

/** Does the same as `run`, for work that prints its own output. */
export async function withContext(
  options: { json?: boolean },
  work: (context: Context) => Promise<void>,
  limits: { statementTimeoutMs?: number } = {},
): Promise<void> {
  let context: Context | undefined
  try {
    // Standard output is for the command's answer, so nothing is logged to it.
    const config = readConfig({ ...environment(), LOG_LEVEL: 'silent' })
    context = createContext(config, {
      process: 'linehook',
      // A command runs few statements at a time; a pool of the usual size could be more than a busy Postgres has
      // left.
      poolSize: 2,
      // A person would rather wait a few seconds than try again.
      acquireTimeoutMs: 5000,
      ...limits,
    })
    await work(actingAs(context, commandLineActor()))
  } catch (error) {
    refuse(options, explain(error))
  } finally {
    await context?.close()
  }
}

/** Sets the exit code 1, and prints the reason on standard error. */
export function refuse(options: { json?: boolean }, message: string): void {
  process.exitCode = 1
  process.stderr.write(options.json === true ? `${JSON.stringify({ error: message })}\n` : `${message}\n`)
}

export interface Printing {
  json?: boolean
  /** Only for lists. */
  csv?: boolean
}

/**
 * Prints readable text, JSON with `--json`, or a row for each item of a list with `--csv`.
 *
 * @param options.hasColours true if the lines control the terminal on purpose, and text of others in them is made safe
 * @throws UserError for both options
 */
export function print(
  { json, csv }: Printing,
  result: unknown,
  lines: readonly string[],
  { hasColours = false }: { hasColours?: boolean | undefined } = {},
): void {
  if (csv === true && json === true) throw new UserError('Give either --csv or --json, not both')
  // JSON escapes only some of the characters that control a terminal.
  const data =
    csv === true && Array.isArray(result)
      ? stringify(result, CSV)
      : json === true && `${JSON.stringify(result, null, 2)}\n`
  const text = data === false ? `${lines.join('\n')}\n` : data
  process.stdout.write(data === false && hasColours ? text : printableFor(process.stdout, text))
}

/** The settings that are configured, or those that `linehook start` uses in this folder, if it ever ran here. */
export function environment(): NodeJS.ProcessEnv {
  const given = givenEnvironment()
  const { env, faults } = withSecretFiles(given)
  // The code that reads the configuration reports a file that cannot be read.
  if (faults.length > 0) return given
  if (env.DATABASE_URL !== undefined || !existsSync(DATA_FOLDER)) return env
  return { ...runningEnvironment(), ...env }
}

/**
 * Explains an error that a person can fix, in a sentence that names the fix.
 *
 * @throws the error itself if it is any other
 */
export function explain(error: unknown): string {
  if (error instanceof UserError) return inOptions(error.message)
  const given = givenEnvironment()
  const isConfigured = (given.DATABASE_URL ?? given.DATABASE_URL_FILE) !== undefined
  if (error instanceof ConfigInvalid) {
    if (isConfigured) return error.message
    const isFaulty = !error.faults.every((fault) => fault.endsWith(' is required'))
    return isFaulty ? `${NOT_RUNNING}\n${error.message}` : NOT_RUNNING
  }
  if (error instanceof CannotConnect && error.isForPeople()) return refusedConnection(asError(error.cause))
  if (error instanceof Unavailable) {
    return isConfigured
      ? 'Postgres cannot be reached. Check DATABASE_URL'
      : 'Postgres cannot be reached. Check that `npm start` is running in this folder'
  }
  const fileFault = describeFileFault(error)
  if (fileFault !== undefined) return fileFault
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === NOT_ALLOWED) {
    // knex puts the statement before it.
    const [said] = /permission denied .*$/.exec(message) ?? [message]
    return `The role in DATABASE_URL lacks a right (${said}). ${
      / for schema /.test(said)
        ? 'Run `grant create, usage on schema public to <role>`'
        : 'Grant it the right'
    } as the owner of the database`
  }
  if (NO_SCHEMA.test(code)) {
    return 'The database has no schema yet, or an older one. Run `linehook migrate`'
  }
  throw error
}

function refusedConnection({ message, code = '' }: NodeJS.ErrnoException): string {
  if (REFUSED.test(code)) return `Postgres refused the connection (${message}). Check DATABASE_URL`
  if (CERTIFICATE.test(code)) {
    return `The certificate of Postgres is not valid (${message}). Check it, or sslmode and sslrootcert in DATABASE_URL`
  }
  return `No connection to Postgres can be opened (${message}). Check DATABASE_URL`
}

const NOT_RUNNING =
  'Linehook is not running in this folder. Start it with `npm start`, or set DATABASE_URL and the other variables.'
/** Postgres's codes for a wrong user or password (28…), and for a database that does not exist (3D000). */
const REFUSED = /^(28...|3D000)$/
/** OpenSSL's codes for a certificate that has expired, is of another name or of an authority that is not known. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS_/
/** Postgres's codes for a column, a function and a table that do not exist. */
const NO_SCHEMA = /^(42703|42883|42P01)$/
