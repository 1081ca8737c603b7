import { messageBody } from '../../test/helpers/factories.js'
import type { TestLine } from '../../test/helpers/factories.js'
import { saysUnknown } from '../ledger.js'
import { idOf, now, numberOf, type Shift } from './shift.js'

const CONVERSATIONS_PER_LINE = 4
const PAUSE_MS = 350
const JSON_TYPE = { 'content-type': 'application/json' }

/** Posts texts to some numbers from every line. To one number, the next text is posted when the last one was answered. */
export function converse(shift: Shift): Promise<void>[] {
  const { lines, smppLine } = shift.installation.seeds
  return [...lines, ...(smppLine ? [smppLine] : [])].flatMap((line, index) =>
    Array.from({ length: CONVERSATIONS_PER_LINE }, async (_, n) => {
      for (let sequence = 0; !shift.isOver(); sequence += 1) {
        await post(shift, line, `c${index}${n}`, sequence, numberOf(index, n))
        await shift.pause(PAUSE_MS)
      }
    }),
  )
}

/** Posts texts to people who have never been sent any, so that no earlier text holds them up. */
export async function postToStrangers(shift: Shift): Promise<void> {
  const [line] = shift.installation.seeds.lines
  for (let n = 0; line && !shift.isOver(); n += 1) {
    await post(shift, line, `stranger${n}`, 0, numberOf(60, n))
    await shift.pause(PAUSE_MS)
  }
}

async function post(
  { caller, ledger }: Shift,
  line: TestLine,
  conversation: string,
  sequence: number,
  toNumber: string,
): Promise<void> {
  const id = idOf(conversation, sequence)
  const body = JSON.stringify(messageBody({ toNumber, text: id }))
  const postedAt = now()
  const { status, messageId, text } = await caller.post(line.webhookPath, JSON_TYPE, body)
  const answered = { postedAt, answeredAt: now(), status, messageId, isUnknown: saysUnknown(status, text) }
  ledger.texts.push({ id, kind: 'text', conversation, sequence, ...answered })
}
