import { until } from '../../test/helpers/until.js'
import { queueDeliveries } from '../backlog.js'
import type { Bench } from '../harness/bench.js'
import { withInstallation } from '../harness/with-installation.js'
import { deliverBacklog } from '../loads/deliver.js'
import { pushHttp, requireAllTaken } from '../loads/http.js'
import { inboundRequests, twilioAccount } from '../loads/inbound.js'
import { postSteadily } from '../loads/steady.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { startReceiver, type Receiver } from '../outside/receiver.js'
import { besideYardstick } from '../rounds.js'
import { percentile } from '../statistics.js'

const HANGS_MS = 10_000
const HANGING_EVENTS = 1000
const GOOD_EVENTS = 100
const GOOD_PER_SECOND = 50
const GOOD_BACKLOG = 1500
const GOOD_BACKLOG_LIMIT_MS = 6000
const LIMIT_MS = 30_000
/** Few: whoever takes them in is not what is measured. */
const CONNECTIONS = 16

/** What an endpoint that hangs does to one that does not: 1,000 events for the one, and then those of the other. */
export async function measureIsolation(bench: Bench, rounds: number): Promise<Figure[]> {
  const receiver = await startReceiver()
  try {
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1)
      times.push(...(await publishAfterHanging(bench, receiver)))
    return [
      { name: 'beside one that hangs, p50', value: percentile(times, 0.5), unit: 'ms' },
      { name: 'beside one that hangs, p99', value: percentile(times, 0.99), unit: 'ms' },
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

/** @returns how long each of the good one's took from being published to arriving, in ms */
function publishAfterHanging(bench: Bench, receiver: Receiver): Promise<number[]> {
  return withInstallation(bench, async (installation) => {
    const { lines, accountId } = await seedLines(installation, {
      count: 2,
      carrier: twilioAccount(receiver.url),
      outgoingUrls: urlsOf(receiver),
    })
    const [web] = await Promise.all([installation.startWeb(), installation.start('deliver-event')])
    const hanging = inboundRequests(accountId, lines.slice(0, 1))
    requireAllTaken(await pushHttp(web.url, () => hanging(), { count: HANGING_EVENTS }, CONNECTIONS))
    const good = inboundRequests(accountId, lines.slice(1))
    const posted = await postSteadily(web.url, good, {
      name: 'good',
      perSecond: GOOD_PER_SECOND,
      seconds: GOOD_EVENTS / GOOD_PER_SECOND,
    })
    await until(
      'the events of the good endpoint have arrived',
      () => posted.every(({ text }) => receiver.arrivedAt(text) !== undefined),
      LIMIT_MS,
    )
    return posted.map(({ text, postedAt }) => (receiver.arrivedAt(text) ?? NaN) - postedAt)
  })
}

/** @returns deliveries per second of the good one */
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
