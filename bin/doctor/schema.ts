import { compareMigrations } from '../../src/database/migrations.js'
import { findPartitionsAhead, findStrayTables } from '../../src/database/partitions.js'
import { countSealed, lostSecrets } from '../../src/domain/operating/sealed-secrets.js'
import { fault, ok, warning, type Check } from './check.js'
import { postgres } from './postgres.js'
import { isGiven } from './subject.js'

export const migrations: Check = {
  name: 'Migrations',
  needs: postgres.name,
  look: async ({ db }) => {
    const { pending, foreign } = await compareMigrations(db)
    if (pending.length > 0) {
      const which = pending.length === 1 ? `1 migration is` : `${pending.length} migrations are`
      return fault(`${which} pending, starting with ${pending[0]}.`, 'Run `linehook migrate`.')
    }
    if (foreign.length > 0) {
      return warning(
        `The database is newer than this release: it has ${foreign.at(-1)}.`,
        'Finish the upgrade by running the newer release.',
      )
    }
    return ok('The schema is up to date.')
  },
}

/** These are this month and the next: `maintenance` makes one more. */
const MONTHS_ENOUGH = 2

export const partitions: Check = {
  name: 'Partitions',
  needs: migrations.name,
  look: async ({ db }) => {
    const all = await findPartitionsAhead(db)
    const short = all.filter(({ monthCount }) => monthCount < MONTHS_ENOUGH)
    const cure = 'Run a `maintenance` process, which creates them. If one is running, check its log.'
    const names = (tables: typeof all) => tables.map(({ parent }) => parent).join(', ')
    const now = short.filter(({ monthCount }) => monthCount === 0)
    if (now.length > 0) return fault(`There is no partition for this month: ${names(now)}.`, cure)
    if (short.length > 0) return warning(`There is no partition for next month yet: ${names(short)}.`, cure)
    const stray = await findStrayTables(db)
    if (stray.length > 0) {
      return warning(
        `Some rows are in the default partition, because their month had no partition: ${stray.join(', ')}.`,
        'They work, but are not deleted with their month. Move them, table by table, as the owner and in a quiet hour: ' +
          `\`select move_out_of_default('${stray[0]}')\`.`,
      )
    }
    return ok(
      `There are partitions for ${Math.min(...all.map(({ monthCount }) => monthCount))} months, including this one.`,
    )
  },
}

export const sealedSecrets: Check = {
  name: 'Secrets',
  needs: migrations.name,
  look: async (subject) => {
    if (!isGiven(subject, 'ENCRYPTION_KEY')) {
      return fault(
        'ENCRYPTION_KEY is missing or invalid.',
        'Set it to the key that encrypted the secrets in this database.',
      )
    }
    const counts = await countSealed(subject)
    const lost = lostSecrets(counts)
    if (lost !== undefined) return fault(lost.why, lost.cure)
    const { current, retired } = counts
    if (retired > 0) {
      return warning(
        `${retired} of ${current + retired} secrets still use a retired key.`,
        'Run `linehook secrets reseal`, then remove the retired key.',
      )
    }
    return ok(
      current === 0 ? 'There are no encrypted secrets yet.' : `All ${current} secrets use the first key.`,
    )
  },
}
