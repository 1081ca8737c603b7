import type { Bench } from '../harness/bench.js'
import type { Installation } from '../harness/installation.js'
import { withInstallation } from '../harness/with-installation.js'
import { inboundRequests, twilioAccount } from '../loads/inbound.js'
import { timesOf, whenArrived, type Arrivals } from '../loads/arrivals.js'
import { postSteadily } from '../loads/steady.js'
import { seedLines, type Seeds } from '../lines.js'
import type { Figure } from '../measure.js'
import type { HttpRequest } from '../outside/http.js'
import { startReceiver, type Receiver } from '../outside/receiver.js'
import { textOf } from '../../dev/smsc/messages.js'
import { startSmsc, type Smsc } from '../../dev/smsc/server.js'
import { watchProcessor } from '../harness/processor.js'
import { startTwilio, type TwilioStandIn } from '../outside/twilio.js'
import { insertWebhooks } from '../rows.js'
import { PLAIN_SERVICE, startPlainService } from '../yardsticks/yardsticks.js'

const LINES = 250
const PER_SECOND = 50
const SECONDS = { fresh: 3, warm: 10 }
/** The last texts have this time to arrive. */
const LIMIT_MS = 20_000
const INWARD = 'inbound → endpoint'
const PLAIN_EVENT = { type: 'inboundText', fromNumber: '+15005550199', toNumber: '+15005550100' }
/** The processes that take part in each way. `maintenance` runs too, as it always does. */
const PROCESSES = {
  out: ['send-message', 'maintenance'],
  smpp: ['send-message', 'receive-smpp', 'maintenance'],
  in: ['deliver-event', 'maintenance'],
}

interface Way {
  name: string
  make: (text: string) => HttpRequest
  /** When a text came to the other end, by performance.now(). */
  arrivedAt: (text: string) => number | undefined
}

/**
 * Measures 50 texts a second from a webhook's request to the carrier (over HTTP, and to an SMSC), and from the carrier's
 * callback to the endpoint, with the processor time of all that takes part. The last way stands beside a plain service with
 * the same load: its figures are what the stack itself takes on this machine.
 */
export async function measureLatency(bench: Bench, rounds: number): Promise<Figure[]> {
  const measured: Measured = { times: new Map(), processor: new Map() }
  for (let round = 0; round < rounds; round += 1) {
    await measureWay(
      bench,
      PROCESSES.out,
      measured,
      outward('webhook → carrier', ({ twilio }) => twilio.takenAt),
    )
    await measureWay(
      bench,
      PROCESSES.smpp,
      measured,
      outward('webhook → SMSC', ({ smsc }) => smsc.takenAt),
    )
    await measureWay(bench, PROCESSES.in, measured, inward)
    await measurePlain(bench, measured)
  }
  const times = [...measured.times].flatMap(([name, arrivals]) => timesOf(name, arrivals))
  const figures = [...times, ...measured.processor.values()]
  return figures.map((figure) => besidePlain(figure, figures))
}

interface Measured {
  times: Map<string, Arrivals[]>
  /** Of the last round, by its way. */
  processor: Map<string, Figure>
}

async function measureWay(
  bench: Bench,
  processes: readonly string[],
  measured: Measured,
  wayOf: (installation: Installation, seeds: Seeds, ends: OtherEnds) => Promise<Way>,
): Promise<void> {
  const [twilio, smsc, receiver] = await Promise.all([startTwilio(), startTimedSmsc(), startReceiver()])
  try {
    await withInstallation(bench, async (installation) => {
      const seeds = await seedLines(installation, {
        count: LINES,
        carrier:
          processes === PROCESSES.smpp
            ? { kind: 'smpp', settings: { host: '127.0.0.1', port: smsc.port, systemId: 'linehook' } }
            : twilioAccount(twilio.url),
        outgoingUrls: Array.from({ length: LINES }, (_, n) => `${receiver.url}/${n}`),
      })
      const way = await wayOf(installation, seeds, { twilio, smsc, receiver })
      const [web, ...others] = await Promise.all([
        installation.startWeb(),
        ...processes.map((name) => installation.start(name)),
      ])
      await measurePhases(bench, web.url, way, [web, ...others], measured)
    })
  } finally {
    twilio.close()
    await smsc.close()
    receiver.close()
  }
}

async function measurePlain(bench: Bench, measured: Measured): Promise<void> {
  const receiver = await startReceiver()
  const service = await startPlainService(bench, receiver.url)
  const headers = { 'content-type': 'application/json' }
  const way: Way = {
    name: PLAIN_SERVICE,
    make: (payload) => ({ path: '/events', headers, body: JSON.stringify({ ...PLAIN_EVENT, payload }) }),
    arrivedAt: (text) => receiver.arrivedAt(text),
  }
  try {
    await measurePhases(bench, service.url, way, service.processes, measured)
  } finally {
    await service.close()
    receiver.close()
  }
}

async function measurePhases(
  { serverPids }: Bench,
  url: string,
  way: Way,
  processes: readonly { name: string; pid: number }[],
  measured: Measured,
): Promise<void> {
  for (const phase of ['fresh', 'warm'] as const) {
    const load = { name: `${way.name} ${phase}`, perSecond: PER_SECOND, seconds: SECONDS[phase] }
    const timesSince = watchProcessor(serverPids, processes)
    const posted = await postSteadily(url, way.make, load)
    const arrivals = await whenArrived(posted, way.arrivedAt, LIMIT_MS)
    const name = phase === 'fresh' ? `${way.name}, in the first ${SECONDS.fresh} s` : way.name
    measured.times.set(name, [...(measured.times.get(name) ?? []), arrivals])
    if (phase === 'warm')
      measured.processor.set(way.name, processorOf(way.name, timesSince(), arrivals.taken.length))
  }
}

/** Compares a figure of the way inward with that of the plain service. Less than one would be less than the stack takes. */
function besidePlain(figure: Figure, all: readonly Figure[]): Figure {
  const plain = figure.name.startsWith(INWARD)
    ? all.find(({ name, unit }) => name === figure.name.replace(INWARD, PLAIN_SERVICE) && unit !== '')
    : undefined
  if (plain === undefined) return figure
  return {
    ...figure,
    yardstick: { name: PLAIN_SERVICE, value: plain.value },
    ratio: figure.value / plain.value,
  }
}

/** The seconds of processor time that a thousand texts take. */
function processorOf(way: string, seconds: ReadonlyMap<string, number>, count: number): Figure {
  const perThousand = [...seconds].map(([name, each]): [string, number] => [name, (each / count) * 1000])
  return {
    name: `${way}, processor of 1,000`,
    value: perThousand.reduce((sum, [, each]) => sum + each, 0),
    unit: 's',
    note: perThousand.map(([name, each]) => `${name} ${each.toFixed(1)}`).join(', '),
  }
}

type TimedSmsc = Smsc & { takenAt: ReadonlyMap<string, number> }

async function startTimedSmsc(): Promise<TimedSmsc> {
  const takenAt = new Map<string, number>()
  const smsc = await startSmsc({ onTaken: (taken) => takenAt.set(textOf(taken), performance.now()) })
  return Object.assign(smsc, { takenAt })
}

interface OtherEnds {
  twilio: TwilioStandIn
  smsc: TimedSmsc
  receiver: Receiver
}

const outward =
  (name: string, takenAtOf: (ends: OtherEnds) => ReadonlyMap<string, number>) =>
  async ({ sql }: Installation, { lines }: Seeds, ends: OtherEnds): Promise<Way> => {
    const paths = await insertWebhooks(sql, lines)
    const takenAt = takenAtOf(ends)
    let count = 0
    return {
      name,
      make: (text) => {
        count += 1
        const data = { toNumber: `+1556${String(count).padStart(7, '0')}`, text }
        return {
          path: paths[count % paths.length] ?? '',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ intent: 'message', data }),
        }
      },
      arrivedAt: (text) => takenAt.get(text),
    }
  }

function inward(_: Installation, { accountId, lines }: Seeds, { receiver }: OtherEnds): Promise<Way> {
  return Promise.resolve({
    name: INWARD,
    make: inboundRequests(accountId, lines),
    arrivedAt: (text) => receiver.arrivedAt(text),
  })
}
