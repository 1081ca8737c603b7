import { queueDeliveries, queueMessages } from '../backlog.js'
import type { Bench } from '../harness/bench.js'
import type { Installation } from '../harness/installation.js'
import { withInstallation } from '../harness/with-installation.js'
import { acceptRequests } from '../loads/accept.js'
import { deliverBacklog } from '../loads/deliver.js'
import { pushHttp, requireAllTaken } from '../loads/http.js'
import { workOff } from '../loads/work-off.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import type { HttpRequest } from '../outside/http.js'
import { startReceiver, type Receiver } from '../outside/receiver.js'
import { countSent, insertHistory, insertWebhooks, settleStatistics, type LineRow } from '../rows.js'
import { besideYardstick } from '../rounds.js'

const HISTORY = 1_000_000
const WAITING = 100_000
const LINES = 4000
const ENDPOINTS = 50
const ACCEPT_SECONDS = 4
const WARM_UP = { seconds: 1.5 }
const MESSAGES = 6000
const DELIVERIES = 4000
const LIMIT_MS = 10_000

/** An installation, which is either full or empty. */
interface Place {
  installation: Installation
  lines: readonly LineRow[]
  /** The lines with an endpoint. */
  connected: readonly LineRow[]
  /** The next request to one of its webhooks. */
  next: () => HttpRequest
}

/**
 * Measures accepting, sending and delivering in an installation that has 1,000,000 old messages and deliveries, and 100,000
 * of each that wait. The yardstick is the same in an empty installation. The full one is filled only once, because a round
 * takes no more than a few thousand of what waits.
 */
export async function measureFlat(bench: Bench, rounds: number): Promise<Figure[]> {
  const receiver = await startReceiver()
  try {
    return await withInstallation(bench, async (installation) => {
      const full = await seed(installation, receiver)
      await fill(full)
      const beside = (name: string, work: (place: Place, isFull: boolean) => Promise<number>) =>
        besideYardstick(rounds, `full: ${name}`, () => work(full, true), {
          name: 'when empty',
          measure: () => withInstallation(bench, async (other) => work(await seed(other, receiver), false)),
        })
      return [
        await beside('accept', accept),
        await beside('send', send),
        await beside('deliver', (place, isFull) => deliver(place, receiver, isFull)),
      ]
    })
  } finally {
    receiver.close()
  }
}

async function seed(installation: Installation, receiver: Receiver): Promise<Place> {
  const outgoingUrls = Array.from({ length: ENDPOINTS }, (_, n) => `${receiver.url}/${n}`)
  const { lines } = await seedLines(installation, { count: LINES, outgoingUrls })
  const next = acceptRequests(await insertWebhooks(installation.sql, lines))
  return { installation, lines, connected: lines.slice(0, ENDPOINTS), next }
}

async function fill({ installation, lines, connected }: Place): Promise<void> {
  await insertHistory(installation.sql, { lines, connected, count: HISTORY })
  await queueMessages(installation, lines, WAITING)
  await queueDeliveries(installation, connected, WAITING)
  await settleStatistics(installation.sql)
  // Otherwise Postgres would write all of it to disk while the first round is measured.
  await installation.sql.query('checkpoint')
}

async function accept({ installation, next }: Place): Promise<number> {
  const web = await installation.startWeb()
  await pushHttp(web.url, next, WARM_UP)
  const { perSecond } = requireAllTaken(await pushHttp(web.url, next, { seconds: ACCEPT_SECONDS }))
  await web.end()
  return perSecond
}

async function send({ installation, lines }: Place, isFull: boolean): Promise<number> {
  const { sql } = installation
  if (!isFull) {
    await queueMessages(installation, lines, MESSAGES)
    await settleStatistics(sql)
  }
  const before = await countSent(sql)
  const countDone = async () => (await countSent(sql)) - before
  return (await workOff(installation, 'send-message', { count: MESSAGES, limitMs: LIMIT_MS, countDone }))
    .perSecond
}

async function deliver(
  { installation, connected }: Place,
  receiver: Receiver,
  isFull: boolean,
): Promise<number> {
  if (!isFull) await queueDeliveries(installation, connected, DELIVERIES)
  return deliverBacklog(installation, receiver, { count: DELIVERIES, limitMs: LIMIT_MS })
}
