import { readFileSync } from 'node:fs'
import { listEndpoints } from '../../src/domain/endpoints/endpoints.js'
import { sendHeldEvents } from '../../src/domain/endpoints/deliveries/held-events.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import type { Bench } from '../harness/bench.js'
import { withInstallation } from '../harness/with-installation.js'
import { timesOf, whenArrived } from '../loads/arrivals.js'
import { inboundRequests, twilioAccount } from '../loads/inbound.js'
import { postSteadily } from '../loads/steady.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { startReceiver } from '../outside/receiver.js'
import { insertPendingDeliveries } from '../rows.js'

const HELD = 5000
const SECONDS = 12
const LIMIT_MS = 30_000
const NAME = `beside ${HELD.toLocaleString('en')} held events that are sent again`

/** Measures an endpoint that gets one event a second, while another one that works again gets 5,000 held events. */
export async function measureHeld(bench: Bench): Promise<Figure[]> {
  const receiver = await startReceiver()
  try {
    return await withInstallation(bench, async (installation) => {
      const { lines, accountId } = await seedLines(installation, {
        count: 2,
        carrier: twilioAccount(receiver.url),
        outgoingUrls: [`${receiver.url}/held`, `${receiver.url}/calm`],
      })
      await insertPendingDeliveries(installation.sql, lines.slice(0, 1), HELD)
      await installation.sql.query(`update deliveries set status = 'held'`)
      const [web, worker] = await Promise.all([
        installation.startWeb(),
        installation.start('deliver-event'),
        installation.start('maintenance'),
      ])
      const [posted] = await Promise.all([
        postSteadily(web.url, inboundRequests(accountId, lines.slice(1)), {
          name: 'calm',
          perSecond: 1,
          seconds: SECONDS,
        }),
        installation.prepare(async (context) => {
          const { id: lineId } = await getAnyLine(context, lines[0]?.id ?? '')
          const [endpoint] = await listEndpoints(context, { isOperator: true }, { lineId })
          return sendHeldEvents(context, { isOperator: true }, endpoint?.id ?? '')
        }),
      ])
      const times = timesOf(NAME, [await whenArrived(posted, (text) => receiver.arrivedAt(text), LIMIT_MS)])
      const log = [web, worker].map(({ logPath }) => readFileSync(logPath, 'utf8')).join('')
      return [
        ...times,
        { name: `${NAME}, outages in the log`, value: countOutages(log), unit: '' },
        {
          name: `${NAME}, of those delivered`,
          value: receiver.arrivals.filter(({ path }) => path === '/held').length,
          unit: '',
        },
      ]
    })
  } finally {
    receiver.close()
  }
}

/** Counts outages in a log, such as a pool that had no connection in time. */
function countOutages(log: string): number {
  return log.split('\n').filter((line) => /"worker\.paused"|not available|Timeout acquiring/.test(line))
    .length
}
