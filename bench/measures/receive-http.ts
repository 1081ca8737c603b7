import type { Bench } from '../harness/bench.js'
import { cpuSecondsOf } from '../harness/usage.js'
import { withInstallation } from '../harness/with-installation.js'
import { acceptRequests } from '../loads/accept.js'
import { pushHttp, type HttpLoad } from '../loads/http.js'
import { inboundRequests, twilioAccount } from '../loads/inbound.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { emptyMessages } from '../rows.js'
import { besideYardstick } from '../rounds.js'
import { median } from '../statistics.js'
import { BARE_KOA, startBareKoa } from '../yardsticks/yardsticks.js'

const LINES = 200
const SECONDS = 4
const WARM_UP = { seconds: 1.5 }
/** Nothing is delivered in this measure, so nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9'

/** Measures Twilio's signed callbacks by 64 connections. Message, event and delivery are committed before the answer. */
export async function measureReceiveOverHttp(bench: Bench, rounds: number): Promise<Figure[]> {
  const bareKoa = await startBareKoa()
  try {
    return await withInstallation(bench, async (installation) => {
      const { lines, accountId } = await seedLines(installation, {
        count: LINES,
        carrier: twilioAccount(NOWHERE),
        outgoingUrls: Array.from({ length: LINES }, (_, n) => `${NOWHERE}/${n}`),
      })
      const next = inboundRequests(accountId, lines)
      const bareNext = acceptRequests(['/webhooks/lineId/1?token=2'])
      const web = await installation.startWeb()
      await pushHttp(web.url, next, WARM_UP)
      await pushHttp(bareKoa.url, bareNext, WARM_UP)

      const loads: (HttpLoad & { cpuMicros: number })[] = []
      const receive = async () => {
        await emptyMessages(installation.sql)
        const cpuBefore = cpuSecondsOf(web.pid)
        const load = await pushHttp(web.url, next, { seconds: SECONDS })
        const cpuMicros = ((cpuSecondsOf(web.pid) - cpuBefore) * 1e6) / load.successCount
        loads.push({ ...load, cpuMicros })
        return load.perSecond
      }
      const bare = async () => (await pushHttp(bareKoa.url, bareNext, { seconds: SECONDS })).perSecond
      const name = 'receive over HTTP'
      const rate = await besideYardstick(rounds, name, receive, { name: BARE_KOA, measure: bare })
      return [
        rate,
        { name: `${name}, p50`, value: median(loads.map(({ p50Ms }) => p50Ms)), unit: 'ms' },
        { name: `${name}, p99`, value: median(loads.map(({ p99Ms }) => p99Ms)), unit: 'ms' },
        {
          name: `${name}, CPU of web each`,
          value: median(loads.map(({ cpuMicros }) => cpuMicros)),
          unit: 'µs',
        },
        refusals(`${name}, refused`, loads),
      ]
    })
  } finally {
    await bareKoa.close()
  }
}

/** The number of callbacks that were refused. A carrier does not repeat each of them. */
function refusals(name: string, loads: readonly HttpLoad[]): Figure {
  const byStatus = new Map<number, number>()
  for (const [status, count] of loads.flatMap(({ refused }) => [...refused])) {
    byStatus.set(status, (byStatus.get(status) ?? 0) + count)
  }
  const value = [...byStatus.values()].reduce((sum, count) => sum + count, 0)
  const taken = loads.reduce((sum, { successCount }) => sum + successCount, 0)
  const statuses = [...byStatus].map(([status, count]) => `${count} × ${status}`).join(', ')
  return { name, value, unit: '', note: `${statuses === '' ? 'none' : statuses}, beside ${taken} taken` }
}
