import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startProxy } from '../../chaos/proxy.js'
import { copyTemplate, killFamily, type Store } from '../../chaos/stores.js'
import { startPostgres, type EmbeddedService } from '../../dev/services/postgres.js'
import { until } from '../helpers/until.js'
import { startPgBouncer } from '../journeys/support/pgbouncer.js'

/** Server connections of PgBouncer: far fewer than those that the processes have to it. */
const POOL_SIZE = 15
const READY_MS = 60_000
/** So long the primary works on before it dies, and the standby gets nothing of it. */
const CUT_OFF_MS = 2000

/**
 * A Postgres with a synchronous standby, behind PgBouncer in transaction mode. `kill` cuts the standby off and then ends the
 * primary, so whatever is acknowledged in between is lost. `start` promotes the standby and lets PgBouncer lead there.
 */
export async function startPostgresPair(folder: string, template: string): Promise<Store> {
  const services: { stop(): Promise<void> }[] = []
  const stop = async () => {
    for (const each of services.splice(0).reverse()) await each.stop()
  }
  try {
    const folders = { primary: join(folder, 'primary'), standby: join(folder, 'standby') }
    // A cluster that was shut down is a base backup, so nobody needs pg_basebackup.
    await copyTemplate(template, folders.primary)
    await copyTemplate(template, folders.standby)
    const primary = await startPostgres({
      dataFolder: folders.primary,
      settings: { synchronous_standby_names: '*' },
    })
    services.push(primary)
    const link = await startProxy(Number(new URL(primary.url).port))
    services.push({
      stop: () => {
        link.close()
        return Promise.resolve()
      },
    })
    follow(join(folders.standby, 'cluster'), primary, link.port)
    const standby = await startPostgres({ dataFolder: folders.standby })
    services.push(standby)
    await until('the standby is synchronous', () => isTrue(primary, SYNCHRONOUS), READY_MS)

    const bouncerFolder = join(folder, 'pgbouncer')
    mkdirSync(bouncerFolder)
    const bouncer = await startPgBouncer(primary.url, { folder: bouncerFolder, poolSize: POOL_SIZE })
    services.push(bouncer)
    const notHere = () => {
      throw new Error('nobody freezes a pair')
    }
    return {
      url: bouncer.url,
      port: Number(new URL(bouncer.url).port),
      kill: async () => {
        link.blackhole()
        await sleep(CUT_OFF_MS)
        killFamily(primary.pid)
        await primary.ended
      },
      start: async () => {
        link.close()
        await query(standby, 'select pg_promote()')
        bouncer.leadTo(standby.url)
        await until('the standby takes writes', () => isTrue(standby, PROMOTED), READY_MS)
      },
      stop,
      freeze: notHere,
      pids: notHere,
      wake: notHere,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const SYNCHRONOUS = `select exists (select from pg_stat_replication where state = 'streaming' and sync_state = 'sync')`
const PROMOTED = 'select not pg_is_in_recovery()'

/** Makes a cluster the standby of this server, which it reaches by this port. */
function follow(cluster: string, { url }: EmbeddedService, port: number): void {
  const { hostname, username, password } = new URL(url)
  const way = `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${way}'\n`)
  writeFileSync(join(cluster, 'standby.signal'), '', { mode: 0o644 })
}

async function isTrue(server: EmbeddedService, sql: string): Promise<boolean> {
  const [row = {}] = await query(server, sql)
  return Object.values(row)[0] === true
}

async function query({ url }: EmbeddedService, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql)
    return rows
  } finally {
    await client.end()
  }
}
