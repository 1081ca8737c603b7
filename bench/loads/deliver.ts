import type { Installation } from '../harness/installation.js'
import type { Receiver } from '../outside/receiver.js'
import { countDelivering, settleStatistics } from '../rows.js'
import { workOff } from './work-off.js'

/**
 * Runs one `deliver-event` process through the deliveries that wait. A delivery is done when it has arrived and no worker has
 * it any more.
 *
 * @param counts which arrivals count; left out: all
 * @returns deliveries per second
 */
export async function deliverBacklog(
  installation: Installation,
  receiver: Receiver,
  options: { count: number; limitMs: number; counts?: (path: string) => boolean },
): Promise<number> {
  const { sql } = installation
  const { count, limitMs, counts = () => true } = options
  await settleStatistics(sql)
  receiver.arrivals.length = 0
  // A process that was ended before may have left some behind.
  const left = await countDelivering(sql)
  const countDone = async () => {
    const delivering = options.counts ? 0 : (await countDelivering(sql)) - left
    return Math.max(0, receiver.arrivals.filter(({ path }) => counts(path)).length - delivering)
  }
  return (await workOff(installation, 'deliver-event', { count, limitMs, countDone })).perSecond
}
