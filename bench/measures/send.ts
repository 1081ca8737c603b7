import { queueMessages } from '../backlog.js'
import type { Bench } from '../harness/bench.js'
import { withInstallation } from '../harness/with-installation.js'
import { workOff } from '../loads/work-off.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { countSent, settleStatistics } from '../rows.js'
import { besideYardstick } from '../rounds.js'
import { measureUpdateJobs, UPDATE_JOBS } from '../yardsticks/yardsticks.js'

/** There are so many that no message has to wait for its line's window. */
const LINES = 1000
const MESSAGES = 8000
const LIMIT_MS = 12_000

/** Measures one `send-message` process with messages that wait, at the simulator. */
export async function measureSend(bench: Bench, rounds: number): Promise<Figure[]> {
  const yardstick = { name: UPDATE_JOBS, measure: () => measureUpdateJobs(bench, MESSAGES) }
  return [await besideYardstick(rounds, 'send', () => send(bench), yardstick)]
}

function send(bench: Bench): Promise<number> {
  return withInstallation(bench, async (installation) => {
    const { sql } = installation
    const { lines } = await seedLines(installation, { count: LINES })
    await queueMessages(installation, lines, MESSAGES)
    await settleStatistics(sql)
    const options = { count: MESSAGES, limitMs: LIMIT_MS, countDone: () => countSent(sql) }
    return (await workOff(installation, 'send-message', options)).perSecond
  })
}
