import { startSmsc } from '../../dev/smsc/server.js'
import { until } from '../../test/helpers/until.js'
import { queueInLane } from '../backlog.js'
import type { Bench } from '../harness/bench.js'
import { withInstallation } from '../harness/with-installation.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { besideYardstick } from '../rounds.js'
import { countTaken, settleStatistics } from '../rows.js'
import { measurePlainSmpp, PLAIN_SMPP } from '../yardsticks/yardsticks.js'

/** There are so many that no message has to wait for its line's window. */
const LINES = 4000
const MESSAGES = 5000
const LIMIT_MS = 60_000

/** Measures texts that wait on lines of an SMPP account with the default settings, from the first to the last that its SMSC takes. */
export async function measureSendOverSmpp(bench: Bench, rounds: number): Promise<Figure[]> {
  const yardstick = { name: PLAIN_SMPP, measure: () => sendPlainly(bench) }
  return [await besideYardstick(rounds, 'send over SMPP', () => send(bench), yardstick)]
}

async function sendPlainly(bench: Bench): Promise<number> {
  const smsc = await startSmsc()
  try {
    return await measurePlainSmpp(bench, smsc.port, MESSAGES)
  } finally {
    await smsc.close()
  }
}

async function send(bench: Bench): Promise<number> {
  const takenAt: number[] = []
  const smsc = await startSmsc({ onTaken: () => takenAt.push(performance.now()) })
  try {
    return await withInstallation(bench, async (installation) => {
      const { sql } = installation
      const seeds = await seedLines(installation, {
        count: LINES,
        carrier: { kind: 'smpp', settings: { host: '127.0.0.1', port: smsc.port, systemId: 'linehook' } },
      })
      await queueInLane(installation, seeds, MESSAGES)
      await settleStatistics(sql)
      await Promise.all(['receive-smpp', 'send-message'].map((name) => installation.start(name)))
      await until(
        () => `only ${takenAt.length} texts are sent`,
        async () => takenAt.length >= MESSAGES && (await countTaken(sql)) >= MESSAGES,
        LIMIT_MS,
      )
      if (takenAt.length !== MESSAGES) throw new Error(`the SMSC took ${takenAt.length} texts`)
      const [first = 0, last = 0] = [takenAt[0], takenAt.at(-1)]
      return MESSAGES / ((last - first) / 1000)
    })
  } finally {
    await smsc.close()
  }
}
