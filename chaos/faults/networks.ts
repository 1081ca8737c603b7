import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault, World } from '../fault.js'
import type { Proxy } from '../proxy.js'

type Store = 'postgres' | 'redis'

export const networkFaults: Fault[] = [
  ...(['postgres', 'redis'] as const).flatMap(ofStore),
  {
    name: 'web-cut-from-postgres',
    about: 'The network between web and Postgres holds back everything for 15 s; the workers keep theirs.',
    accepting: 'during',
    inflict: (world) => blackhole(world, [world.proxies.web.postgres], 'web from Postgres'),
  },
  {
    name: 'workers-cut-from-postgres',
    about: 'The network between workers and Postgres holds back everything for 15 s; web keeps its own.',
    accepting: 'never',
    inflict: (world) => blackhole(world, [world.proxies.workers.postgres], 'workers from Postgres'),
  },
  {
    name: 'redis-far',
    about: 'Redis is 100 ms away, as in another region, for 40 s.',
    accepting: 'never',
    recoversFrom: 'start',
    inflict: async ({ proxies, say }) => {
      say('100 ms to Redis')
      for (const { redis } of [proxies.web, proxies.workers]) redis.delay(50)
      await sleep(40_000)
      for (const { redis } of [proxies.web, proxies.workers]) await redis.pass()
    },
  },
  {
    name: 'carrier-blackhole',
    about: 'The network to the carrier lets nothing through for 10 s.',
    accepting: 'never',
    inflict: async ({ carrier, say }) => {
      say('the carrier is out of reach')
      carrier.blackhole()
      await sleep(10_000)
      await carrier.pass()
    },
  },
  {
    name: 'carrier-reset',
    about: 'Connections to the carrier are reset every half second, for 10 s.',
    accepting: 'never',
    inflict: async ({ carrier, say }) => {
      say('connections to the carrier are reset')
      for (let n = 0; n < 20; n += 1) {
        carrier.reset()
        await sleep(500)
      }
    },
  },
]

function ofStore(store: Store): Fault[] {
  const Name = store === 'postgres' ? 'Postgres' : 'Redis'
  const accepting = store === 'postgres' ? 'during' : 'never'
  const ways = ({ proxies }: World) => [proxies.web[store], proxies.workers[store]]
  return [
    {
      name: `${store}-blackhole`,
      about: `The network to ${Name} holds back everything for 15 s, then delivers it.`,
      accepting,
      inflict: (world) => blackhole(world, ways(world), `everybody from ${Name}`),
    },
    {
      name: `${store}-half-open`,
      about: `Connections to ${Name} go silent permanently but stay open; new ones work.`,
      accepting: 'never',
      recoversFrom: 'start',
      // Nobody works on a job that was handed out over a silent connection, until its lock is over after 10 s. Lost locks are
      // looked for every 5 s.
      ...(store === 'redis' ? { goals: { recoverMs: 15_000 } } : {}),
      inflict: async (world) => {
        world.say(`connections to ${Name} are silent`)
        for (const way of ways(world)) way.halfOpen()
        await sleep(20_000)
      },
    },
    {
      name: `${store}-reset`,
      about: `Connections to ${Name} are reset every second, for 10 s.`,
      accepting,
      inflict: async (world) => {
        world.say(`connections to ${Name} are reset`)
        for (let n = 0; n < 10; n += 1) {
          for (const way of ways(world)) way.reset()
          await sleep(1000)
        }
      },
    },
    {
      name: `${store}-delay`,
      about: `Everything to and from ${Name} takes 50 to 200 ms longer each way, for 15 s.`,
      accepting: 'never',
      inflict: async (world) => {
        const ms = world.random.whole(50, 200)
        world.say(`${ms} ms to ${Name}`)
        for (const way of ways(world)) way.delay(ms)
        await sleep(15_000)
        for (const way of ways(world)) await way.pass()
      },
    },
    {
      name: `${store}-refuses`,
      about: `${Name} accepts no connections for 10 s.`,
      accepting,
      inflict: async (world) => {
        world.say(`${Name} refuses connections`)
        for (const way of ways(world)) way.refuse()
        await sleep(10_000)
        for (const way of ways(world)) await way.pass()
      },
    },
  ]
}

async function blackhole({ say }: World, ways: readonly Proxy[], what: string): Promise<void> {
  say(`cut: ${what}`)
  for (const way of ways) way.blackhole()
  await sleep(15_000)
  for (const way of ways) await way.pass()
}
