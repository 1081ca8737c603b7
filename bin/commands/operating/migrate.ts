import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Database } from '../../../src/database/connection.js'
import { CannotConnect } from '../../../src/database/outage.js'
import { asError, Unavailable } from '../../../src/errors.js'
import { migrate, MIGRATION_STATEMENT_MS } from '../../../src/database/migrations.js'
import { run } from '../../run.js'
import { wholeNumber } from '../../whole-number.js'

const PAUSE_MS = 500

/** In a container or on a machine that has just started, Postgres may come later than this command. */
async function waitForPostgres(db: Database, waitMs: number): Promise<void> {
  const endsAt = performance.now() + waitMs
  for (let tries = 1; ; tries += 1) {
    try {
      await db.raw('select 1')
      return
    } catch (error) {
      if (error instanceof CannotConnect && error.isForPeople()) throw error
      if (!(error instanceof Unavailable) || performance.now() + PAUSE_MS > endsAt) throw error
      if (tries === 1) process.stderr.write(`Waiting for Postgres: ${asError(error.cause).message}\n`)
      await sleep(PAUSE_MS)
    }
  }
}

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--wait <seconds>', 'how long to wait for Postgres to start (60)', wholeNumber)
    .option('--json', 'print JSON')
    .action((options: { json?: boolean; wait?: number }) =>
      run(
        options,
        async ({ db }) => {
          await waitForPostgres(db, 1000 * (options.wait ?? 60))
          const migrations = await migrate(db)
          return {
            result: { migrations },
            lines:
              migrations.length === 0
                ? ['The schema is up to date.']
                : migrations.map((name) => `migrated ${name}`),
          }
        },
        { statementTimeoutMs: MIGRATION_STATEMENT_MS },
      ),
    )
}
