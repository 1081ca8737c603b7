import type { Bench } from '../harness/bench.js'
import { withInstallation } from '../harness/with-installation.js'
import { inboundRequests, twilioAccount } from '../loads/inbound.js'
import { timesOf, whenArrived, type Arrivals } from '../loads/arrivals.js'
import { postSteadily } from '../loads/steady.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { startReceiver } from '../outside/receiver.js'

const PER_SECOND = 80
const SECONDS = 10
const ANSWER_MS = 100
/** An event counts as overtaken if another one, published so much later, came before it. */
const OVERTAKEN_BY_MS = 1000
/** An event that has not arrived by then counts as having taken so long. */
const LIMIT_MS = 20_000

/** Measures 80 events a second for one endpoint that answers in 100 ms, which takes 8 requests at a time. */
export async function measureSteady(bench: Bench, rounds: number): Promise<Figure[]> {
  const all: Arrivals[] = []
  for (let round = 0; round < rounds; round += 1) all.push(await publish(bench))
  const name = `${PER_SECOND}/s to 1 endpoint of ${ANSWER_MS} ms`
  const overtaken = all.reduce((sum, { taken }) => sum + countOvertaken(taken), 0)
  return [...timesOf(name, all), { name: `${name}, overtaken`, value: overtaken, unit: '' }]
}

async function publish(bench: Bench): Promise<Arrivals> {
  const receiver = await startReceiver()
  try {
    return await withInstallation(bench, async (installation) => {
      const { lines, accountId } = await seedLines(installation, {
        count: 1,
        carrier: twilioAccount(receiver.url),
        outgoingUrls: [`${receiver.url}/wait/${ANSWER_MS}`],
      })
      const [web] = await Promise.all([installation.startWeb(), installation.start('deliver-event')])
      const make = inboundRequests(accountId, lines)
      const posted = await postSteadily(web.url, make, {
        name: 'event',
        perSecond: PER_SECOND,
        seconds: SECONDS,
      })
      return whenArrived(posted, (text) => receiver.arrivedAt(text), LIMIT_MS)
    })
  } finally {
    receiver.close()
  }
}

/**
 * @param events in the order of publication
 * @returns how many came after one that was published a second or more later
 */
function countOvertaken(events: Arrivals['taken']): number {
  return events.filter(({ postedAt, arrivedAt }) =>
    events.some((later) => later.postedAt >= postedAt + OVERTAKEN_BY_MS && later.arrivedAt < arrivedAt),
  ).length
}
