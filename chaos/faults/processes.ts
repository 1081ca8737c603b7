import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { until } from '../../test/helpers/until.js'
import type { ProcessName } from '../../test/helpers/process/processes.js'
import type { Fault, World } from '../fault.js'

const KINDS: ProcessName[] = [
  'web',
  'send-message',
  'deliver-event',
  'fetch-media',
  'maintenance',
  'receive-smpp',
]
/** The delay of requests to Postgres and of its answers. */
const ANSWER_DELAY_MS = 150
const TWO = copiesOfAll(2)
const FOUR = copiesOfAll(4)

export const processFaults: Fault[] = [
  ...KINDS.map(killed),
  ...KINDS.map(frozen),
  {
    name: 'sigterm',
    about: 'SIGTERM to every process in turn, with two of each.',
    layout: { copies: TWO },
    accepting: 'never',
    inflict: async (world) => {
      for (const copy of world.copies) {
        world.say(`SIGTERM to ${copy.name}`)
        await copy.kill('SIGTERM')
        await copy.whenStarted()
      }
    },
  },
  {
    name: 'storm-2',
    about: 'kill -9 of a random process every two seconds, with two of each; Redis too.',
    layout: { copies: TWO },
    accepting: 'never',
    inflict: storm,
  },
  {
    name: 'storm-4',
    about: 'kill -9 of a random process every two seconds, with four of each; Redis too.',
    layout: { copies: FOUR },
    accepting: 'never',
    inflict: storm,
  },
  {
    name: 'sender-past-its-lease',
    about: 'Two of three senders are stopped after they have claimed texts, for longer than their leases.',
    layout: { copies: { 'send-message': 3 } },
    accepting: 'never',
    inflict: async (world) => {
      const seconds = world.random.between(25, 30)
      const senders = world.copies.filter(({ name }) => name === 'send-message')
      await freezeWithClaims(world, senders)
      world.say(`SIGSTOP of two senders for ${seconds.toFixed(1)} s`)
      await sleep(500)
      senders.pop()?.wake()
      await sleep(seconds * 1000)
      for (const sender of senders) sender.wake()
    },
  },
  {
    name: 'deliverer-past-its-lease',
    about: 'One of two deliverers is stopped for longer than its leases.',
    layout: { copies: { 'deliver-event': 2 } },
    accepting: 'never',
    inflict: (world) => freezeFor(world, only(world, 'deliver-event'), world.random.between(20, 26)),
  },
]

function killed(kind: ProcessName): Fault {
  return {
    name: `kill-${kind}`,
    about: `kill -9 of ${kind}, three times.`,
    layout: { copies: { [kind]: 1 } },
    accepting: kind === 'web' ? 'during' : 'never',
    inflict: async (world) => {
      for (let n = 0; n < 3; n += 1) {
        await kill(world, only(world, kind))
        await only(world, kind).whenStarted()
        await sleep(world.random.between(500, 3000))
      }
    },
  }
}

function frozen(kind: ProcessName): Fault {
  return {
    name: `freeze-${kind}`,
    about: `SIGSTOP of ${kind} for 8 to 20 s.`,
    layout: { copies: { [kind]: 1 } },
    accepting: kind === 'web' ? 'during' : 'never',
    inflict: (world) => freezeFor(world, only(world, kind), world.random.between(8, 20)),
  }
}

async function storm(world: World): Promise<void> {
  const { random, copies, redis } = world
  for (let n = 0; n < 10; n += 1) {
    const victim = random.whole(0, copies.length)
    const copy = copies[victim]
    if (copy) await kill(world, copy)
    else {
      world.say('kill -9 of Redis')
      await redis.kill()
      await redis.start()
    }
    await sleep(2000)
  }
  await Promise.all(copies.map((copy) => copy.whenStarted()))
}

/**
 * Stops senders at a moment when they have claimed texts and do not know it yet, because Postgres's answer is on its
 * way.
 */
async function freezeWithClaims({ proxies, postgres }: World, senders: readonly Copy[]): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  proxies.workers.postgres.delay(ANSWER_DELAY_MS)
  // Texts that were claimed before are sent by then.
  await sleep(4 * ANSWER_DELAY_MS)
  await until(
    'texts are claimed',
    async () => {
      const { rowCount } = await client.query(
        `select from messages where status = 'sending' and claimed_at > clock_timestamp() - interval '100 ms'`,
      )
      return (rowCount ?? 0) > 0
    },
    60_000,
  )
  for (const sender of senders) sender.freeze()
  await proxies.workers.postgres.pass()
  await client.end()
}

type Copy = World['copies'][number]

async function kill(world: World, copy: Copy): Promise<void> {
  world.say(`kill -9 of ${copy.name}`)
  await copy.kill('SIGKILL')
}

async function freezeFor(world: World, copy: Copy, seconds: number): Promise<void> {
  world.say(`SIGSTOP of ${copy.name} for ${seconds.toFixed(1)} s`)
  copy.freeze()
  await sleep(seconds * 1000)
  copy.wake()
  await sleep(1000)
}

function only({ copies }: World, kind: ProcessName): Copy {
  const found = copies.find(({ name }) => name === kind)
  if (found === undefined) throw new Error(`there is no ${kind}`)
  return found
}

function copiesOfAll(count: number): Partial<Record<ProcessName, number>> {
  return Object.fromEntries(KINDS.map((kind) => [kind, count]))
}
