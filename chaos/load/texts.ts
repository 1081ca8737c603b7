import { setTimeout as sleep } from 'node:timers/promises'
import { messageBody } from '../../test/helpers/factories.js'
import { idOf, now, numberOf, type Shift } from './load.js'

const CONVERSATIONS_PER_LINE = 4
const PAUSE_MS = 350
const JSON_TYPE = { 'content-type': 'application/json' }

/** Texts to some numbers of every line: to one number each is posted when the one before it has been answered. */
export function converse({ caller, installation, ledger, isOver }: Shift): Promise<void>[] {
  const { lines, smppLine } = installation.seeds
  return [...lines, ...(smppLine ? [smppLine] : [])].flatMap((line, index) =>
    Array.from({ length: CONVERSATIONS_PER_LINE }, async (_, n) => {
      const conversation = `c${index}${n}`
      for (let sequence = 0; !isOver(); sequence += 1) {
        const id = idOf(conversation, sequence)
        const body = messageBody({ toNumber: numberOf(index, n), text: id })
        const postedAt = now()
        const { status, messageId } = await caller.post(line.webhookPath, JSON_TYPE, JSON.stringify(body))
        ledger.texts.push({
          ...{ id, conversation, sequence, postedAt, answeredAt: now(), status, messageId },
          kind: 'text',
        })
        await sleep(PAUSE_MS)
      }
    }),
  )
}
