import type { Command } from 'commander'
import { migrate, MIGRATION_STATEMENT_MS } from '../../src/database/migrations.js'
import { run } from '../run.js'

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      run(
        options,
        async ({ db }) => {
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
