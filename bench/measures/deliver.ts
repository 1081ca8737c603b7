import { queueDeliveries } from '../backlog.js'
import type { Bench } from '../harness/bench.js'
import { withInstallation } from '../harness/with-installation.js'
import { deliverBacklog } from '../loads/deliver.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { startReceiver, type Receiver } from '../outside/receiver.js'
import { compare } from '../rounds.js'
import { measurePostJobs, POST_JOBS } from '../yardsticks/yardsticks.js'

const EVENTS = 5000
const ENDPOINTS = 50
const LIMIT_MS = 8000

/** Measures one `deliver-event` process with deliveries that wait for 50 endpoints, and with as many for one endpoint. */
export async function measureDeliver(bench: Bench, rounds: number): Promise<Figure[]> {
  const toMany: number[] = []
  const toOne: number[] = []
  const yardsticks: number[] = []
  const receiver = await startReceiver()
  try {
    for (let round = 0; round < rounds; round += 1) {
      toMany.push(await deliver(bench, receiver, ENDPOINTS))
      yardsticks.push(await measurePostJobs(bench, receiver.url, EVENTS))
      toOne.push(await deliver(bench, receiver, 1))
    }
  } finally {
    receiver.close()
  }
  return [
    compare(`deliver to ${ENDPOINTS} endpoints`, toMany, POST_JOBS, yardsticks),
    compare('deliver to 1 endpoint', toOne, POST_JOBS, yardsticks),
  ]
}

function deliver(bench: Bench, receiver: Receiver, endpoints: number): Promise<number> {
  return withInstallation(bench, async (installation) => {
    const outgoingUrls = Array.from({ length: endpoints }, (_, n) => `${receiver.url}/${n}`)
    const { lines } = await seedLines(installation, { count: endpoints, outgoingUrls })
    await queueDeliveries(installation, lines, EVENTS)
    return deliverBacklog(installation, receiver, { count: EVENTS, limitMs: LIMIT_MS })
  })
}
