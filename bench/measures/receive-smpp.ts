import { startSmsc } from '../../dev/smsc/server.js'
import { inboundOf } from '../../dev/smsc/messages.js'
import { until } from '../../test/helpers/until.js'
import type { Bench } from '../harness/bench.js'
import { withInstallation } from '../harness/with-installation.js'
import { personNumber } from '../loads/inbound.js'
import { seedLines } from '../lines.js'
import type { Figure } from '../measure.js'
import { besideYardstick } from '../rounds.js'
import { INSERTS, measureInserts } from '../yardsticks/yardsticks.js'

const LINES = 200
const TEXTS = 6000
/** The number of messages that the SMSC sends without waiting for an answer. */
const WINDOW = 50
const LIMIT_MS = 6000

/** Measures texts that an SMSC brings to `receive-smpp`, as many at a time as its window has. */
export async function measureReceiveOverSmpp(bench: Bench, rounds: number): Promise<Figure[]> {
  const yardstick = { name: INSERTS, measure: () => measureInserts(bench, TEXTS) }
  return [await besideYardstick(rounds, 'receive over SMPP', () => receive(bench), yardstick)]
}

async function receive(bench: Bench): Promise<number> {
  const smsc = await startSmsc({ deliverWindow: WINDOW })
  try {
    return await withInstallation(bench, async (installation) => {
      const { lines } = await seedLines(installation, {
        count: LINES,
        carrier: { kind: 'smpp', settings: { host: '127.0.0.1', port: smsc.port, systemId: 'linehook' } },
        outgoingUrls: Array.from({ length: LINES }, (_, n) => `http://127.0.0.1:9/${n}`),
      })
      await installation.start('receive-smpp')
      await until('receive-smpp is bound', () => smsc.bound().length > 0)
      const texts = Array.from({ length: TEXTS }, (_, n) =>
        inboundOf(personNumber(n), lines[n % LINES]?.number ?? '', `Hello ${n}`),
      )
      const startedAt = performance.now()
      for (const text of texts) smsc.bring(text)
      await until(
        'the texts are answered',
        () => smsc.answers.length === TEXTS || performance.now() - startedAt > LIMIT_MS,
        2 * LIMIT_MS,
      )
      const seconds = (performance.now() - startedAt) / 1000
      const refused = smsc.answers.filter((status) => status !== 0).length
      if (refused > 0) throw new Error(`${refused} texts were refused for good`)
      return smsc.answers.length / seconds
    })
  } finally {
    await smsc.close()
  }
}
