import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { Redis } from 'ioredis'
import {
  DATA_FOLDER,
  embeddedEnvironment,
  givenEnvironment,
  OTHER_KEY_CURE,
} from '../../../dev/services/embedded.js'
import { startServices } from '../../../dev/services/services.js'
import { takeStartLock } from '../../../dev/services/start-lock.js'
import { SECRETS, withSecretFiles } from '../../../src/config.js'
import { checkBackup, readBackup } from '../../../src/database/operating/backup/read.js'
import { writeBackup } from '../../../src/database/operating/backup/write.js'
import { connectDatabase, type Database } from '../../../src/database/connection.js'
import {
  compareMigrations,
  migrate,
  migrationNames,
  MIGRATION_STATEMENT_MS,
} from '../../../src/database/migrations.js'
import type { Context } from '../../../src/domain/context.js'
import { recordPausedByRestore } from '../../../src/domain/operating/pauses.js'
import { countSealed, lostSecrets } from '../../../src/domain/operating/sealed-secrets.js'
import { asError, UserError } from '../../../src/errors.js'
import { refuse, run } from '../../run.js'

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('write the whole database to a file while the service runs')
    .argument('<file>', 'such as linehook.backup; it must not exist yet')
    .option('--json', 'print JSON')
    .action((file: string, options: { json?: boolean }) =>
      run(options, async ({ config, db }) => {
        const path = resolve(file)
        if (existsSync(path)) throw new UserError(`${file} already exists. Name another file`)
        const { pending } = await compareMigrations(db)
        if (pending.length > 0)
          throw new UserError('The database schema is out of date. Run `linehook migrate` first')
        const counts = await writeBackup(config.databaseUrl, path)
        return {
          result: { file: path, rows: Object.fromEntries(counts), mediaFolder: config.mediaFolder },
          lines: [
            `${sum(counts)} rows from ${counts.size} tables written to ${file}`,
            `It does not include the media (${config.mediaFolder}) or ENCRYPTION_KEY. Keep both as well.`,
          ],
        }
      }),
    )
}

/** Secrets that have been read are not read again. */
const WITHOUT_FILES = Object.fromEntries(SECRETS.map((name) => [`${name}_FILE`, '']))

export function addRestoreCommand(program: Command): void {
  program
    .command('restore')
    .description(
      'restore a backup into an empty database, and pause all sending; without DATABASE_URL, into the database of `linehook start`, which must be stopped',
    )
    .argument('<file>', 'a file written by `linehook backup`')
    .option('--replace', "delete the database's contents first")
    .option('--json', 'print JSON')
    .action(async (file: string, options: { replace?: boolean; json?: boolean }) => {
      const { env: given, faults } = withSecretFiles(givenEnvironment())
      // A file that cannot be read may name the database: `run` reports it.
      if (given.DATABASE_URL !== undefined || faults.length > 0) {
        await run(options, async (context) => {
          const { result, line } = await restore(context, file, options)
          const lost = lostSecrets(await countSealed(context))
          return {
            result,
            lines: [line, ...(lost ? [`${lost.why} ${lost.cure}`] : []), EMPTY_REDIS + PAUSED],
          }
        })
        return
      }
      const lock = takeStartLock()
      if ('heldBy' in lock) {
        refuse(options, `Linehook is already running in this folder (process ${lock.heldBy}). Stop it first.`)
        return
      }
      try {
        const { REDIS_URL: redisUrl } = given
        const services = await startServices({
          dataFolder: DATA_FOLDER,
          ...(redisUrl === undefined ? {} : { redisUrl }),
        }).catch((error: unknown) => {
          throw new UserError(asError(error).message)
        })
        try {
          Object.assign(process.env, embeddedEnvironment(), given, WITHOUT_FILES, {
            DATABASE_URL: services.databaseUrl,
            REDIS_URL: services.redisUrl,
          })
          await run(options, async (context) => {
            const { result, line } = await restore(context, file, options)
            // One that was not started here may have other data.
            if (redisUrl === undefined) await emptyRedis(context.config.redisUrl)
            const lost = lostSecrets(await countSealed(context))
            const cure = given.ENCRYPTION_KEY === undefined ? OTHER_KEY_CURE : lost?.cure
            const redis = redisUrl === undefined ? '' : EMPTY_REDIS
            return { result, lines: [line, ...(lost ? [`${lost.why} ${cure}`] : []), `${redis}${PAUSED}`] }
          })
        } finally {
          await services.stop()
        }
      } finally {
        lock.release()
      }
    })
}

const EMPTY_REDIS = 'Empty the Redis of REDIS_URL. '
const PAUSED =
  'All sending is paused, because texts waiting in the backup may have been sent since. Restore the media and start Linehook. ' +
  'Then see docs/operating/backup.md for what to run before `linehook sending resume`.'

/** All sending is paused: a start would immediately send what waits in the backup. */
async function restore(
  context: Context,
  file: string,
  { replace }: { replace?: boolean },
): Promise<{ result: unknown; line: string }> {
  const { databaseUrl } = context.config
  if (!existsSync(file)) throw new UserError(`${file} does not exist`)
  // It is read twice, which a pipe cannot be.
  if (!statSync(file).isFile())
    throw new UserError(`${file} is not a regular file. Write the backup to one first`)
  const header = await checkBackup(file)
  if (header.migrations.join() !== (await migrationNames()).join())
    throw new UserError(
      'The backup is from another release. Restore it with that release, then run `linehook migrate` with this one',
    )
  const db = connectDatabase({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'restore',
    statementTimeoutMs: MIGRATION_STATEMENT_MS,
  })
  try {
    const running = await listRunning(db)
    if (running.length > 0)
      throw new UserError(`Stop all processes first. Still connected to this database: ${running.join(', ')}`)
    const { rows } = await db.raw<{ rows: object[] }>(
      `select from pg_tables where schemaname = 'public' limit 1`,
    )
    if (rows.length > 0 && replace !== true)
      throw new UserError(
        'The database is not empty. Name an empty one, or add --replace to delete its contents',
      )
    if (rows.length > 0) await db.raw('drop schema public cascade; create schema public')
    await migrate(db)
  } finally {
    await db.destroy()
  }
  const reading = readBackup(databaseUrl, file, header)
  const { counts, isPausedHere } = await reading.catch((error: unknown) => {
    // The tables are made first, and a failure takes all rows back.
    throw new UserError(
      `The backup was not restored: ${asError(error).message.replace(/\.$/, '')}. The database has only empty tables now. When the cause is ` +
        `fixed, run \`linehook restore ${file} --replace\``,
    )
  })
  if (isPausedHere) await recordPausedByRestore(context)
  return {
    result: { writtenAt: header.writtenAt, rows: Object.fromEntries(counts) },
    line: `${sum(counts)} rows from ${counts.size} tables restored, as of ${header.writtenAt}`,
  }
}

/** The types of the processes that use the database. They would immediately send what waits in the backup, a second time. */
async function listRunning(db: Database): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select distinct split_part(application_name, ' ', 2) as name from pg_stat_activity
     where datname = current_database() and application_name ~ ? order by 1`,
    ['^linehook (web|send-message|deliver-event|fetch-media|maintenance|receive-smpp)'],
  )
  return rows.map(({ name }) => name)
}

/** Jobs of the database that was replaced name rows that are not there. */
async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url)
  try {
    await redis.flushall()
  } finally {
    redis.disconnect()
  }
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}
