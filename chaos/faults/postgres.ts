import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Fault, World } from '../fault.js'

const QUIET_S = 4

export const postgresFaults: Fault[] = [
  {
    name: 'postgres-killed',
    about: 'kill -9 of Postgres, which is restarted after a few seconds.',
    accepting: 'during',
    inflict: async (world) => {
      world.say('kill -9 of Postgres')
      await world.postgres.kill()
      await sleep(world.random.between(1000, 6000))
      await world.postgres.start()
    },
  },
  {
    name: 'postgres-stopped',
    about: 'Postgres is shut down for 10 to 15 s.',
    accepting: 'during',
    inflict: async (world) => {
      world.say('Postgres shuts down')
      await world.postgres.stop()
      await sleep(world.random.between(10_000, 15_000))
      await world.postgres.start()
    },
  },
  {
    name: 'postgres-unheard',
    about:
      'Postgres is shut down for 20 s while a carrier makes each callback once; a minute later, maintenance asks for what was missed.',
    accepting: 'during',
    goals: { unheard: 0 },
    inflict: async (world) => {
      world.say('Postgres shuts down')
      await world.postgres.stop()
      await sleep(20_000)
      await world.postgres.start()
      // Records that are younger than a minute are not fetched, because their callbacks may still come.
      await sleep(65_000)
      const maintenance = world.copies.find(({ name }) => name === 'maintenance')
      await maintenance?.kill('SIGTERM')
      await maintenance?.whenStarted()
    },
  },
  {
    name: 'postgres-frozen',
    about: 'SIGSTOP of Postgres for 8 to 20 s, twice; web is killed a moment later.',
    accepting: 'during',
    inflict: async (world) => {
      const { random, say, postgres, load, copies } = world
      for (let n = 0; n < 2; n += 1) {
        const seconds = random.between(8, n === 0 ? 20 : 10)
        say(`SIGSTOP of Postgres for ${seconds.toFixed(1)} s`)
        postgres.freeze()
        await sleep((seconds - QUIET_S) * 1000)
        // Nothing comes in for a while. A connection with a transaction left open then keeps it open for as long.
        load.pauseInbound()
        await sleep(QUIET_S * 1000)
        postgres.wake()
        await sleep(random.between(1000, 3000))
        // Every message that was acknowledged must be committed by now.
        const web = copies.find(({ name }) => name === 'web')
        say('kill -9 of web')
        await web?.kill('SIGKILL')
        await web?.whenStarted()
        load.resumeInbound()
      }
    },
  },
  {
    name: 'postgres-blinks',
    about: 'SIGSTOP of Postgres for 2 to 4 s, five times: about as long as its statements may take.',
    accepting: 'during',
    inflict: async (world) => {
      for (let n = 0; n < 5; n += 1) {
        const seconds = world.random.between(2, 4)
        world.say(`SIGSTOP of Postgres for ${seconds.toFixed(1)} s`)
        world.postgres.freeze()
        await sleep(seconds * 1000)
        world.postgres.wake()
        await sleep(1500)
      }
    },
  },
  {
    name: 'postgres-read-only',
    about: 'Postgres is read-only for 10 to 15 s, as after a failover.',
    accepting: 'during',
    inflict: async (world) => {
      await asAdmin(world, async (ask) => {
        world.say('Postgres is read-only')
        await ask('alter system set default_transaction_read_only = on')
        await ask('select pg_reload_conf()')
        await sleep(world.random.between(10_000, 15_000))
        await ask('set default_transaction_read_only = off')
        await ask('alter system reset default_transaction_read_only')
        await ask('select pg_reload_conf()')
      })
    },
  },
  {
    name: 'postgres-full',
    about: 'Postgres has no free connections for 10 s.',
    accepting: 'during',
    inflict: async (world) => {
      await asAdmin(world, async (ask) => {
        world.say('all connections of Postgres are taken')
        const taken: pg.Client[] = []
        // Linehook asks for connections as well, so it takes a while to have all of them.
        for (let n = 0; n < 20; n += 1) {
          taken.push(...(await takeConnections(world.postgres.url)))
          await ask(
            `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'linehook %'`,
          )
          await sleep(500)
        }
        await Promise.all(taken.map((client) => client.end()))
      })
    },
  },
  {
    name: 'postgres-locked',
    about: 'Another session locks the messages table for 5 to 10 s.',
    accepting: 'during',
    inflict: async (world) => {
      await asAdmin(world, async (ask) => {
        world.say('messages are locked')
        await ask('begin')
        await ask('lock table messages in access exclusive mode')
        await sleep(world.random.between(5000, 10_000))
        await ask('rollback')
      })
    },
  },
]

async function asAdmin(
  { postgres }: World,
  work: (ask: (sql: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await work((sql) => client.query(sql))
  } finally {
    await client.end()
  }
}

/** Takes all connections that can be had, also those for superusers. */
async function takeConnections(url: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ connectionString: url, application_name: 'chaos' })
    client.on('error', () => undefined)
    try {
      await client.connect()
      taken.push(client)
    } catch {
      return taken
    }
  }
}
