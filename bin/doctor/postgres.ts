import { DatabaseUnavailable } from '../../src/database/outage.js'
import { asError } from '../../src/errors.js'
import { fault, ok, warning, type Check, type Finding } from './check.js'
import { probe, placeOf, withoutPassword } from './place.js'
import { isGiven, PATIENCE_MS } from './subject.js'

const STANDARD_PORT = 5432

export const postgres: Check = {
  name: 'Postgres',
  look: async (subject) => {
    const { config, db } = subject
    if (!isGiven(subject, 'DATABASE_URL')) {
      return fault(
        'DATABASE_URL is missing or invalid.',
        'Set DATABASE_URL to postgres://user:password@host:port/database.',
      )
    }
    const place = placeOf(config.databaseUrl, STANDARD_PORT)
    const name = `Postgres at ${place?.name ?? 'DATABASE_URL'}`
    const closed = place && (await probe(place))
    if (closed !== undefined)
      return fault(`${name} ${closed}.`, 'Start Postgres, or correct the host and port in DATABASE_URL.')
    try {
      const { rows } = await db.raw<{ rows: Server[] }>(SERVER)
      return judgeServer(name, rows[0])
    } catch (error) {
      return explain(name, error, config.databaseUrl)
    }
  },
}

interface Server {
  version: string
  isReadOnly: boolean
  unsafe: string[]
}

const SERVER = `select current_setting('server_version') as version,
  pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
  array(select s.name from pg_settings s
    where s.name in ('fsync', 'full_page_writes', 'synchronous_commit') and s.setting = 'off' order by 1) as unsafe`

function judgeServer(name: string, server: Server | undefined): Finding {
  if (server === undefined)
    return fault(`${name} sent an unreadable response.`, 'Check that DATABASE_URL points to Postgres.')
  if (server.isReadOnly) {
    return fault(
      `${name} is read-only: it is a standby or was set to read-only.`,
      'Point DATABASE_URL at the primary.',
    )
  }
  if (server.unsafe.length > 0) {
    return warning(
      `${name} runs with ${server.unsafe.join(' and ')} off, so a power failure can lose acknowledged messages.`,
      `Turn ${server.unsafe.join(' and ')} on.`,
    )
  }
  return ok(`${name} is version ${server.version}, responds and accepts writes.`)
}

function explain(name: string, error: unknown, url: string): Finding {
  const cause = error instanceof DatabaseUnavailable ? asError(error.cause) : asError(error)
  const { code = '' } = cause as NodeJS.ErrnoException
  const said = withoutPassword(cause.message, url)
  if (/^28/.test(code))
    return fault(
      `${name} rejected the sign-in: ${said}.`,
      'Correct the user and the password in DATABASE_URL.',
    )
  if (code === '3D000')
    return fault(`${name}: ${said}.`, 'Create the database, or correct its name in DATABASE_URL.')
  if (code === '53300') {
    return fault(
      `${name} has no free connection: ${said}.`,
      'Raise max_connections, or lower DATABASE_POOL_SIZE, which is the number of connections per process.',
    )
  }
  if (/timeout/i.test(said)) {
    return fault(
      `${name} accepts connections but did not respond within ${PATIENCE_MS / 1000} s.`,
      'Check whether its machine or disk is stuck, then restart it.',
    )
  }
  return fault(`${name}: ${said}.`, 'Correct DATABASE_URL, or fix the problem that Postgres reports.')
}
