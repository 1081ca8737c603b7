import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../test/helpers/until.js'
import type { Bench } from '../harness/bench.js'
import type { Installation } from '../harness/installation.js'
import { PROCFILE, SMALL, type Running } from '../harness/processes.js'
import { watchProcessor } from '../harness/processor.js'
import { cpuSecondsOf, peakMbOf, residentMbOf } from '../harness/usage.js'
import { withInstallation } from '../harness/with-installation.js'
import { acceptRequests } from '../loads/accept.js'
import { pushHttp, requireAllTaken } from '../loads/http.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { countSent, insertWebhooks } from '../rows.js'

const LINES = 500
const MESSAGES = 4000
const LIMIT_MS = 60_000
/** Node tidies up for half a minute after it has started. */
const SETTLE_MS = 30_000
const IDLE_MS = 20_000
/** Memory is at rest when it is nearly the same as a second ago. */
const LOOK_EVERY_MS = 1000
const STABLE_MB = 1

/**
 * Measures all processes of the Procfile, as `npm start` runs them: their memory when nothing happens, the processor time of
 * a message in each of them, and the largest memory of one of them meanwhile. It has one round, however many are asked for,
 * because memory is the same each time.
 */
export async function measureRest(bench: Bench): Promise<Figure[]> {
  return withInstallation(bench, async (installation) => {
    const { sql } = installation
    const { lines } = await seedLines(installation, { count: LINES })
    const next = acceptRequests(await insertWebhooks(sql, lines))
    const small = await measureSmall(installation)
    const { web, all } = await startAll(installation, PROCFILE)

    const atRest = await whenStable(all)
    const idle = await measureIdle(bench, all)
    const cpuBefore = all.map(({ pid }) => cpuSecondsOf(pid))
    requireAllTaken(await pushHttp(web.url, next, { count: MESSAGES }))
    await until('all messages are sent', async () => (await countSent(sql)) === MESSAGES, LIMIT_MS)
    const cpuEach = all.map(({ pid }, n) => ((cpuSecondsOf(pid) - (cpuBefore[n] ?? NaN)) * 1e6) / MESSAGES)
    const peaks = all.map(({ pid }) => peakMbOf(pid))

    const per = (values: readonly number[]) => perProcess(all, values)
    return [
      { name: 'memory at rest, all', value: sum(atRest), unit: 'MB', note: per(atRest) },
      small,
      idle,
      { name: 'memory, largest process', value: Math.max(...peaks), unit: 'MB', note: per(peaks) },
      { name: 'CPU per message accepted and sent', value: sum(cpuEach), unit: 'µs', note: per(cpuEach) },
    ]
  })
}

/** Measures the processor time of all processes, Postgres and Redis included, while nobody asks anything of them. */
async function measureIdle({ serverPids }: Bench, all: readonly Running[]): Promise<Figure> {
  await sleep(SETTLE_MS)
  const timesSince = watchProcessor(serverPids, all)
  await sleep(IDLE_MS)
  const each = [...timesSince()].map(([name, seconds]): [string, number] => [name, (seconds * 1e6) / IDLE_MS])
  const note = each.map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(', ')
  return { name: 'processor at rest', value: sum(each.map(([, ms]) => ms)), unit: 'ms/s', note }
}

/** Measures the processes as a machine with little memory runs them. They have ended when the others start. */
async function measureSmall(installation: Installation): Promise<Figure> {
  const { all } = await startAll(installation, SMALL)
  const atRest = await whenStable(all)
  await Promise.all(all.map((running) => running.end()))
  return { name: 'memory at rest, --small', value: sum(atRest), unit: 'MB', note: perProcess(all, atRest) }
}

async function startAll(installation: Installation, commands: ReadonlyMap<string, unknown>) {
  const web = await installation.startWeb()
  const others = [...commands.keys()].filter((name) => name !== 'web')
  const all: Running[] = [web, ...(await Promise.all(others.map((name) => installation.start(name))))]
  return { web, all }
}

function perProcess(all: readonly Running[], values: readonly number[]): string {
  return all.map(({ name }, n) => `${name} ${Math.round(values[n] ?? NaN)}`).join(', ')
}

async function whenStable(all: readonly Running[]): Promise<number[]> {
  for (let before = Infinity; ;) {
    const held = all.map(({ pid }) => residentMbOf(pid))
    // NaN, where the machine does not tell, counts as stable.
    if (!(Math.abs(sum(held) - before) > STABLE_MB)) return held
    before = sum(held)
    await sleep(LOOK_EVERY_MS)
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
