import type { Bench } from '../harness/bench.js'
import { cpuSecondsOf } from '../harness/usage.js'
import { withInstallation } from '../harness/with-installation.js'
import { acceptRequests } from '../loads/accept.js'
import { pushHttp, requireAllTaken, type HttpLoad } from '../loads/http.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { emptyMessages, insertWebhooks } from '../rows.js'
import { besideYardstick } from '../rounds.js'
import { median } from '../statistics.js'
import { BARE_KOA, startBareKoa } from '../yardsticks/yardsticks.js'

/** There are so many that no line gets more in a minute than its default limits allow. */
const LINES = 4000
const SECONDS = 4
const WARM_UP = { seconds: 1.5 }

/** Measures incoming webhooks by 64 connections. Every check is made, and a message is durable before the 200. */
export async function measureAccept(bench: Bench, rounds: number): Promise<Figure[]> {
  const bareKoa = await startBareKoa()
  try {
    return await withInstallation(bench, async (installation) => {
      const { sql } = installation
      const { lines } = await seedLines(installation, { count: LINES })
      const next = acceptRequests(await insertWebhooks(sql, lines))
      const web = await installation.startWeb()
      await pushHttp(web.url, next, WARM_UP)
      await pushHttp(bareKoa.url, next, WARM_UP)

      const loads: (HttpLoad & { cpuMicros: number })[] = []
      const accept = async () => {
        await emptyMessages(sql)
        const cpuBefore = cpuSecondsOf(web.pid)
        const load = requireAllTaken(await pushHttp(web.url, next, { seconds: SECONDS }))
        const cpuMicros = ((cpuSecondsOf(web.pid) - cpuBefore) * 1e6) / load.successCount
        loads.push({ ...load, cpuMicros })
        return load.perSecond
      }
      const bare = async () => (await pushHttp(bareKoa.url, next, { seconds: SECONDS })).perSecond
      const rate = await besideYardstick(rounds, 'accept', accept, { name: BARE_KOA, measure: bare })
      return [
        rate,
        { name: 'accept, p50', value: median(loads.map(({ p50Ms }) => p50Ms)), unit: 'ms' },
        { name: 'accept, p99', value: median(loads.map(({ p99Ms }) => p99Ms)), unit: 'ms' },
        {
          name: 'accept, CPU of web each',
          value: median(loads.map(({ cpuMicros }) => cpuMicros)),
          unit: 'µs',
        },
      ]
    })
  } finally {
    await bareKoa.close()
  }
}
