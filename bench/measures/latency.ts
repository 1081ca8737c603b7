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
import { startTwilio, type TwilioStandIn } from '../outside/twilio.js'
import { insertWebhooks } from '../rows.js'

const LINES = 250
const PER_SECOND = 50
const SECONDS = { fresh: 3, warm: 10 }
/** The last texts have this time to arrive. */
const LIMIT_MS = 20_000
/** The processes that take part in each way. `maintenance` runs too, as it always does. */
const PROCESSES = { out: ['send-message', 'maintenance'], in: ['deliver-event', 'maintenance'] }

interface Way {
  name: string
  make: (text: string) => HttpRequest
  /** When a text came to the other end, by performance.now(). */
  arrivedAt: (text: string) => number | undefined
}

/**
 * Measures 50 texts a second from a webhook's request to the carrier, and from the carrier's callback to the endpoint.
 */
export async function measureLatency(bench: Bench, rounds: number): Promise<Figure[]> {
  const times = new Map<string, Arrivals[]>()
  for (let round = 0; round < rounds; round += 1) {
    await measureWay(bench, PROCESSES.out, times, outward)
    await measureWay(bench, PROCESSES.in, times, inward)
  }
  return [...times].flatMap(([name, arrivals]) => timesOf(name, arrivals))
}

async function measureWay(
  bench: Bench,
  processes: readonly string[],
  times: Map<string, Arrivals[]>,
  wayOf: (installation: Installation, seeds: Seeds, ends: OtherEnds) => Promise<Way>,
): Promise<void> {
  const [twilio, receiver] = await Promise.all([startTwilio(), startReceiver()])
  try {
    await withInstallation(bench, async (installation) => {
      const seeds = await seedLines(installation, {
        count: LINES,
        carrier: twilioAccount(twilio.url),
        outgoingUrls: Array.from({ length: LINES }, (_, n) => `${receiver.url}/${n}`),
      })
      const way = await wayOf(installation, seeds, { twilio, receiver })
      const [web] = await Promise.all([
        installation.startWeb(),
        ...processes.map((name) => installation.start(name)),
      ])
      for (const phase of ['fresh', 'warm'] as const) {
        const load = { name: `${way.name} ${phase}`, perSecond: PER_SECOND, seconds: SECONDS[phase] }
        const posted = await postSteadily(web.url, way.make, load)
        const name = phase === 'fresh' ? `${way.name}, in the first ${SECONDS.fresh} s` : way.name
        times.set(name, [...(times.get(name) ?? []), await whenArrived(posted, way.arrivedAt, LIMIT_MS)])
      }
    })
  } finally {
    twilio.close()
    receiver.close()
  }
}

interface OtherEnds {
  twilio: TwilioStandIn
  receiver: Receiver
}

async function outward(
  { sql }: Installation,
  { lines }: Seeds,
  { twilio: { takenAt } }: OtherEnds,
): Promise<Way> {
  const paths = await insertWebhooks(sql, lines)
  let count = 0
  return {
    name: 'webhook → carrier',
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
    name: 'inbound → endpoint',
    make: inboundRequests(accountId, lines),
    arrivedAt: (text) => receiver.arrivedAt(text),
  })
}
