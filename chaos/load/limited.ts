import { postToApi } from './api.js'
import { idOf, numberOf, type Shift } from './shift.js'

/**
 * The burst is more than the line may send in a minute, so some texts wait. Fewer follow, so that the line catches up.
 */
const BURST = { toLine: 38, toOneNumber: 8 }
const PAUSE_MS = 3000

/** Posts to the line with the usual limits, by the API, because that accepts more than the line may send. */
export async function crowdLine(shift: Shift): Promise<void> {
  const { installation, isOver } = shift
  const post = (conversation: string, sequence: number, toNumber: string) => {
    const asked = { lineId: installation.seeds.limited.lineId, toNumber, text: idOf(conversation, sequence) }
    return postToApi(shift, { kind: 'limited', conversation, sequence }, asked)
  }
  for (let n = 0; n < BURST.toOneNumber; n += 1) await post('one', n, numberOf(90, 0))
  for (let n = 0; !isOver(); n += 1) {
    await post(`crowd${n}`, 0, numberOf(91, n))
    if (n >= BURST.toLine) await shift.pause(PAUSE_MS)
  }
}
