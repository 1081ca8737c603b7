import type { Fault } from './fault.js'
import { FAULTS } from './faults.js'
import { whenFlowing } from './flowing.js'
import type { Layout } from './installation.js'

/**
 * The faults under which something has failed before, on three installations instead of one each: starting
 * installations takes most of the processor time. The faults of a series follow one another, so if a series fails, run
 * each of its faults alone (`--only`). A fault that begins together with the load comes first.
 */
export const SHORT_FORM: readonly Fault[] = [
  series('series-of-networks', [
    'limits-slow-postgres',
    'postgres-blackhole',
    'postgres-half-open',
    'redis-blackhole',
    'redis-half-open',
  ]),
  series('series-of-stores', [
    'redis-cut',
    'redis-frozen',
    'redis-flushed',
    'postgres-frozen',
    'postgres-blinks',
    'workers-cut-from-postgres',
    'clock-webs-apart',
  ]),
  series('series-of-processes', [
    'limits-frozen-sender',
    'sender-past-its-lease',
    'media-closing',
    // It ends processes that are not started again.
    'clock-workers-1h-ahead',
  ]),
]

function series(name: string, names: readonly string[]): Fault {
  const faults = names.map(byName)
  return {
    name,
    about: `One after the other: ${names.join(', ')}.`,
    layout: mergeLayouts(faults.map(({ layout }) => layout ?? {})),
    load: 'slow',
    fromTheBeginning: faults[0]?.fromTheBeginning === true,
    accepting: faults.some(({ accepting }) => accepting === 'during') ? 'during' : 'never',
    inflict: async (world) => {
      for (const fault of faults) {
        world.say(`begins: ${fault.name}`)
        await fault.inflict(world)
        // The next fault meets an installation that works.
        await whenFlowing(world, world.ledger, performance.timeOrigin + performance.now())
      }
    },
  }
}

function byName(name: string): Fault {
  const fault = FAULTS.find((each) => each.name === name)
  if (fault === undefined) throw new Error(`there is no fault ${name}`)
  return fault
}

/** Of each process as many as the fault that has most of them. */
function mergeLayouts(layouts: readonly Partial<Layout>[]): Partial<Layout> {
  const copies: Layout['copies'] = {}
  for (const [name, count] of layouts.flatMap((layout) => Object.entries(layout.copies ?? {}))) {
    const kind = name as keyof Layout['copies']
    copies[kind] = Math.max(copies[kind] ?? 0, count)
  }
  const clocksMs = Object.assign({}, ...layouts.map((layout) => layout.clocksMs)) as Layout['clocksMs']
  return Object.assign({}, ...layouts, { copies, clocksMs }) as Partial<Layout>
}
