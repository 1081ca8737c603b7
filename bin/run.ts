import { embeddedEnvironment, givenEnvironment } from '../dev/embedded.js'
import { ConfigInvalid, readConfig } from '../src/config.js'
import { createContext, type Context } from '../src/domain/context.js'
import { Unavailable, UserError } from '../src/errors.js'

/**
 * Runs a command against the service's data and ends the process: 0, or 1 with one line that says what was wrong.
 *
 * @param work gives what `--json` prints, and the lines for a person
 */
export async function run(
  options: { json?: boolean },
  work: (context: Context) => Promise<{ result: unknown; lines: string[] }>,
): Promise<void> {
  let context: Context | undefined
  try {
    context = createContext(readConfig({ LOG_LEVEL: 'warn', ...environment() }), {
      process: 'linehook',
      poolSize: 2,
    })
    const { result, lines } = await work(context)
    process.stdout.write(
      options.json === true ? `${JSON.stringify(result, null, 2)}\n` : `${lines.join('\n')}\n`,
    )
  } catch (error) {
    process.exitCode = 1
    const message = explain(error)
    process.stderr.write(options.json === true ? `${JSON.stringify({ error: message })}\n` : `${message}\n`)
  } finally {
    await context?.close()
  }
}

/** What is configured, else what `linehook start` runs with in this folder. */
function environment(): NodeJS.ProcessEnv {
  const given = givenEnvironment()
  return given.DATABASE_URL === undefined ? { ...embeddedEnvironment(), ...given } : given
}

function explain(error: unknown): string {
  if (error instanceof UserError) return error.message
  if (error instanceof ConfigInvalid) {
    return process.env.DATABASE_URL
      ? error.message
      : `Linehook is not running in this folder: start it with \`npm start\`, or set DATABASE_URL and the other settings.\n${error.message}`
  }
  if (error instanceof Unavailable) {
    return process.env.DATABASE_URL
      ? 'Postgres cannot be reached: see DATABASE_URL'
      : 'Postgres cannot be reached: is `npm start` running in this folder?'
  }
  throw error
}
