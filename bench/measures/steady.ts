import { until } from '../../test/helpers/until.js'
import type { Bench } from '../harness/bench.js'
import { withInstallation } from '../harness/with-installation.js'
import { inboundRequests, twilioAccount } from '../loads/inbound.js'
import { postSteadily } from '../loads/steady.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { startReceiver } from '../outside/receiver.js'
import { percentile } from '../statistics.js'

const PER_SECOND = 80
const SECONDS = 10
const ANSWER_MS = 100
/** So much later must an event be to count as having overtaken one. */
const OVERTAKEN_BY_MS = 1000
/** What has not arrived by then counts as having taken so long. */
const LIMIT_MS = 20_000

interface Event {
  postedAt: number
  arrivedAt: number
}

/** 80 events a second for one endpoint that answers in 100 ms, of which it needs 8 requests at a time. */
export async function measureSteady(bench: Bench, rounds: number): Promise<Figure[]> {
  const events: Event[] = []
  let overtaken = 0
  for (let round = 0; round < rounds; round += 1) {
    const ofRound = await publish(bench)
    events.push(...ofRound)
    overtaken += countOvertaken(ofRound)
  }
  const ms = events.map(({ postedAt, arrivedAt }) => arrivedAt - postedAt)
  const name = `${PER_SECOND}/s to 1 endpoint of ${ANSWER_MS} ms`
  return [
    { name: `${name}, p50`, value: percentile(ms, 0.5), unit: 'ms' },
    { name: `${name}, p99`, value: percentile(ms, 0.99), unit: 'ms' },
    { name: `${name}, overtaken`, value: overtaken, unit: '', note: `of ${events.length}` },
  ]
}

async function publish(bench: Bench): Promise<Event[]> {
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
      const taken = posted.filter(({ status }) => status === 200)
      if (taken.length < posted.length) throw new Error(`${posted.length - taken.length} were refused`)
      const hasArrived = ({ text }: { text: string }) => receiver.arrivedAt(text) !== undefined
      await until('all events have arrived', () => taken.every(hasArrived), LIMIT_MS).catch(() => undefined)
      return taken.map(({ text, postedAt }) => ({
        postedAt,
        arrivedAt: receiver.arrivedAt(text) ?? performance.now(),
      }))
    })
  } finally {
    receiver.close()
  }
}

/** Events that came after one that was published a second or more later. In the order of publication. */
function countOvertaken(events: readonly Event[]): number {
  return events.filter(({ postedAt, arrivedAt }) =>
    events.some((later) => later.postedAt >= postedAt + OVERTAKEN_BY_MS && later.arrivedAt < arrivedAt),
  ).length
}
