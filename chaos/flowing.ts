import { until } from '../test/helpers/until.js'
import type { Installation } from './installation.js'
import { isAcknowledged, type Ledger } from './ledger.js'

const LIMIT_MS = 180_000

/**
 * Waits until messages flow: after this moment a text was accepted, one was sent, and a receiver was told. On a busy machine
 * that takes a while, which is not measured.
 *
 * @param since ms since 1970
 */
export async function whenFlowing(
  installation: Pick<Installation, 'taken' | 'received'>,
  ledger: Ledger,
  since = 0,
): Promise<void> {
  const isNew = ({ at }: { at: number }) => at > since
  await until(
    'texts are sent and receivers are told',
    async () => {
      if (!ledger.texts.some((text) => isAcknowledged(text) && text.answeredAt > since)) return false
      const [taken, received] = await Promise.all([installation.taken(), installation.received()])
      return taken.some(isNew) && received.some(isNew)
    },
    LIMIT_MS,
  )
}
