import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault, World } from '../fault.js'
import { createPoster, postAtRate, postInTurn } from '../load/crowd.js'
import { keepBusy, keepOnOneProcessor, whyNotOneProcessor } from '../processor.js'

const BUSY_LOOPS = 8
const MEASURE_MS = 10_000
const CROWD_MS = 30_000
/** The loops end by themselves, if nobody ends them. */
const LOOPS_MS = 180_000
const PER_SECOND = 60
const BEFORE_MS = 6000
const FROZEN_MS = 20_000
const AFTER_MS = 10_000
/** So many ask in turn while it is measured what can be done. */
const PATIENT_CLIENTS = 24

/** What is sent later than the texts come must not be a reason to refuse them. */
const layout = { environment: { MAX_QUEUED_PER_LINE: '1000000', MAX_QUEUED_MESSAGES: '1000000' } }
/** What was accepted is sent when there is time again. */
const goals = { recoverMs: 60_000, drainMs: 60_000, outageMs: 10_000 }

export const overloadFaults: Fault[] = [
  {
    name: 'starved',
    about: `All of it on one processor beside ${BUSY_LOOPS} busy loops, and ${PER_SECOND} texts a second come, each on a connection of its own.`,
    load: 'small',
    layout,
    goals,
    missing: whyNotOneProcessor,
    accepting: 'never',
    inflict: async (world) => {
      const free = takeProcessor(world)
      await crowd(world, await capacityOf(world), PER_SECOND)
      free()
    },
  },
  {
    name: 'overload',
    about:
      'Everything runs on one processor, and three times as many texts arrive as it can accept, each on its own connection.',
    load: 'small',
    layout,
    goals,
    missing: whyNotOneProcessor,
    accepting: 'never',
    inflict: async (world) => {
      keepOnOneProcessor(world)
      const capacity = await capacityOf(world)
      await crowd(world, capacity, 3 * capacity)
    },
  },
  {
    name: 'postgres-frozen-starved',
    about: `SIGSTOP of Postgres for 20 s, on one processor beside ${BUSY_LOOPS} busy loops, while ${PER_SECOND} texts a second come.`,
    load: 'small',
    layout,
    goals: { ...goals, shortfall: 100 },
    missing: whyNotOneProcessor,
    accepting: 'during',
    inflict: async (world) => {
      const free = takeProcessor(world)
      world.meanwhile(
        postAtRate(createPoster(world, 'crowd'), PER_SECOND, BEFORE_MS + FROZEN_MS + AFTER_MS).finally(free),
      )
      await sleep(world.random.between(BEFORE_MS / 2, BEFORE_MS))
      world.say('SIGSTOP of Postgres for 20 s')
      world.postgres.freeze()
      await sleep(FROZEN_MS)
      world.postgres.wake()
    },
  },
]

function takeProcessor(world: World): () => void {
  world.say(`one processor, and ${BUSY_LOOPS} busy loops on it`)
  keepOnOneProcessor(world)
  return keepBusy(BUSY_LOOPS, LOOPS_MS)
}

/** How many texts a second are accepted when those who ask wait for their answers. */
async function capacityOf(world: World): Promise<number> {
  const poster = createPoster(world, 'patient')
  await postInTurn(poster, PATIENT_CLIENTS, MEASURE_MS / 2)
  const capacity = await postInTurn(poster, PATIENT_CLIENTS, MEASURE_MS)
  world.say(`${capacity.toFixed(1)} texts a second can be accepted`)
  return capacity
}

async function crowd(world: World, capacityPerSecond: number, perSecond: number): Promise<void> {
  world.say(`${perSecond.toFixed(0)} a second come`)
  const acceptedPerSecond = await postAtRate(createPoster(world, 'crowd'), perSecond, CROWD_MS)
  world.say(`${acceptedPerSecond.toFixed(1)} a second were accepted`)
  world.noteGoodput({ acceptedPerSecond, capacityPerSecond: Math.min(perSecond, capacityPerSecond) })
}
