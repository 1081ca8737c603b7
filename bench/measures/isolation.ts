import { queueDeliveries } from '../backlog.js'
import type { Bench } from '../harness/bench.js'
import { withInstallation } from '../harness/with-installation.js'
import { deliverBacklog } from '../loads/deliver.js'
import { timesOf, whenArrived, type Arrivals } from '../loads/arrivals.js'
import { inboundRequests, twilioAccount } from '../loads/inbound.js'
import { postSteadily } from '../loads/steady.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { startReceiver, type Receiver } from '../outside/receiver.js'
import { besideYardstick } from '../rounds.js'

const HANGS_MS = 10_000
const HANGING_EVENTS = 1000
const GOOD_EVENTS = 100
const GOOD_PER_SECOND = 50
const GOOD_BACKLOG = 1500
const GOOD_BACKLOG_LIMIT_MS = 6000
const LIMIT_MS = 30_000

/** Measures what an endpoint that hangs does to a good one: 1,000 events wait for it, before those of the good one. */
export async function measureIsolation(bench: Bench, rounds: number): Promise<Figure[]> {
  const receiver = await startReceiver()
  try {
    return [
      ...timesOf('beside one that hangs', [await publishAfterHanging(bench, receiver)]),
      await besideYardstick(
        rounds,
        'beside one that hangs, throughput',
        () => deliverGood(bench, receiver, HANGING_EVENTS),
        { name: 'without it', measure: () => deliverGood(bench, receiver, 0) },
      ),
    ]
  } finally {
    receiver.close()
  }
}

function urlsOf(receiver: Receiver): [string, string] {
  return [`${receiver.url}/wait/${HANGS_MS}`, `${receiver.url}/good`]
}

function publishAfterHanging(bench: Bench, receiver: Receiver): Promise<Arrivals> {
  return withInstallation(bench, async (installation) => {
    const { lines, accountId } = await seedLines(installation, {
      count: 2,
      carrier: twilioAccount(receiver.url),
      outgoingUrls: urlsOf(receiver),
    })
    await queueDeliveries(installation, lines.slice(0, 1), HANGING_EVENTS)
    const [web] = await Promise.all([installation.startWeb(), installation.start('deliver-event')])
    const good = inboundRequests(accountId, lines.slice(1))
    const posted = await postSteadily(web.url, good, {
      name: 'good',
      perSecond: GOOD_PER_SECOND,
      seconds: GOOD_EVENTS / GOOD_PER_SECOND,
    })
    return whenArrived(posted, (text) => receiver.arrivedAt(text), LIMIT_MS)
  })
}

/** @returns deliveries per second to the good endpoint */
function deliverGood(bench: Bench, receiver: Receiver, hangingCount: number): Promise<number> {
  return withInstallation(bench, async (installation) => {
    const { lines } = await seedLines(installation, { count: 2, outgoingUrls: urlsOf(receiver) })
    if (hangingCount > 0) await queueDeliveries(installation, lines.slice(0, 1), hangingCount)
    await queueDeliveries(installation, lines.slice(1), GOOD_BACKLOG)
    return deliverBacklog(installation, receiver, {
      count: GOOD_BACKLOG,
      limitMs: GOOD_BACKLOG_LIMIT_MS,
      counts: (path) => path === '/good',
    })
  })
}
