import { setTimeout as sleep } from 'node:timers/promises'
import { postToApi } from './api.js'
import { idOf, numberOf, type Shift } from './load.js'

/** More than the line may send in a minute, so that some have to wait; and then fewer, so that it catches up. */
const BURST = { toLine: 38, toOneNumber: 8 }
const PAUSE_MS = 3000

/** To a line with the limits of every line: by the API, which takes more than the line may send. */
export async function crowdLine(shift: Shift): Promise<void> {
  const { installation, isOver } = shift
  const post = (conversation: string, sequence: number, toNumber: string) => {
    const asked = { lineId: installation.seeds.limited.lineId, toNumber, text: idOf(conversation, sequence) }
    return postToApi(shift, { kind: 'limited', conversation, sequence }, asked)
  }
  for (let n = 0; n < BURST.toOneNumber; n += 1) await post('one', n, numberOf(90, 0))
  for (let n = 0; !isOver(); n += 1) {
    await post(`crowd${n}`, 0, numberOf(91, n))
    if (n >= BURST.toLine) await sleep(PAUSE_MS)
  }
}
