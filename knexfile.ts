import { databaseOptions } from './src/database/connection.js'
import { migrationSource } from './src/database/migrations.js'

// This file is for knex's own command line; `linehook migrate` does the same.
export default {
  ...databaseOptions({ url: process.env.DATABASE_URL ?? '', poolSize: 2, applicationName: 'knex' }),
  migrations: { migrationSource: migrationSource() },
}
