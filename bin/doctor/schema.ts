import { compareMigrations } from '../../src/database/migrations.js'
import { findPartitionsAhead, findStrayTables } from '../../src/database/partitions.js'
import { countSealed } from '../../src/domain/operating/sealed-secrets.js'
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
      return fault(`${which} pending, ${pending[0]} first.`, 'Run `linehook migrate`.')
    }
    if (foreign.length > 0) {
      return warning(
        `The database is ahead of this release: it has ${foreign.at(-1)}.`,
        'Finish the upgrade: run the newer release.',
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
    const cure = 'Run the process `maintenance`, which makes them; if it runs, its log says why it fails.'
    const names = (tables: typeof all) => tables.map(({ parent }) => parent).join(', ')
    const now = short.filter(({ monthCount }) => monthCount === 0)
    if (now.length > 0) return fault(`There is no partition for this month: ${names(now)}.`, cure)
    if (short.length > 0) return warning(`There is no partition for next month yet: ${names(short)}.`, cure)
    const stray = await findStrayTables(db)
    if (stray.length > 0) {
      return warning(
        `Rows are in the default partition, because their month had none: ${stray.join(', ')}.`,
        'They work. No month is dropped with them: delete them by hand when they are too old.',
      )
    }
    return ok(
      `There are partitions for ${Math.min(...all.map(({ monthCount }) => monthCount))} months, this one included.`,
    )
  },
}

export const sealedSecrets: Check = {
  name: 'Secrets',
  needs: migrations.name,
  look: async (subject) => {
    if (!isGiven(subject, 'ENCRYPTION_KEY')) {
      return fault(
        'There is no usable ENCRYPTION_KEY.',
        'Give it the key that sealed the secrets in this database.',
      )
    }
    const { current, retired, lost } = await countSealed(subject)
    if (lost > 0) {
      return fault(
        `${lost} of ${current + retired + lost} secrets at rest were sealed by a key that ENCRYPTION_KEY does not have.`,
        'Put that key after the first one, with a comma. Without it, write these secrets anew.',
      )
    }
    if (retired > 0) {
      return warning(
        `${retired} of ${current + retired} secrets at rest are still under a retired key.`,
        'Run `linehook secrets reseal`; then the retired key can go.',
      )
    }
    return ok(
      current === 0
        ? 'There are no secrets at rest yet.'
        : `All ${current} secrets at rest are under the first key.`,
    )
  },
}
