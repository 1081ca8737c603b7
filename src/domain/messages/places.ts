import type { MessageToSend } from '../../database/messages/sending.js'
import { sha256 } from '../../secrets.js'
import type { Window } from '../../sliding-window.js'
import type { Context } from '../context.js'

/** Longer than a minute by what may pass between taking a place and the carrier's clock. */
const WINDOW_MS = 60_250

/** One hash tag: Redis Cluster keeps all windows of a line together. Whole numbers stay out of Redis. */
export function numberWindowKey(lineId: string, number: string): string {
  return `lh:{${lineId}}:to:${sha256(number).toString('base64url').slice(0, 22)}`
}

/**
 * A place in every window of the line, and then in its account's, which has another hash tag. Who waits for the
 * account's has its places in the line held for that moment: else they would be over by then, and the line's next
 * messages would have taken them, only to wait for the account's as well (five lines at 1/s each, of an account at
 * 3/s, sent at 1/s).
 *
 * @returns the milliseconds to wait; 0: it is its turn
 * @throws Unavailable
 */
export async function takePlaces({ windows }: Context, message: MessageToSend): Promise<number> {
  const { id, lineId, toNumber, numberLimit, lineLimit, account } = message
  const ofLine = [
    { key: numberWindowKey(lineId, toNumber), limit: numberLimit, lengthMs: WINDOW_MS },
    { key: `lh:{${lineId}}:line`, limit: lineLimit, lengthMs: WINDOW_MS },
    ...paceWindow(`lh:{${lineId}}:pace`, account.messagesPerSecondPerLine),
  ]
  const waitMs = await windows.take(id, ofLine)
  const ofAccount = paceWindow(`lh:{${account.id}}:pace`, account.messagesPerSecond)
  if (waitMs > 0 || ofAccount.length === 0) return waitMs
  const accountWaitMs = await windows.take(id, ofAccount)
  if (accountWaitMs > 0) await windows.hold(id, ofLine, accountWaitMs)
  return accountWaitMs
}

/** A carrier's pace, such as 1/s; below that one message in as many seconds as it takes. */
function paceWindow(key: string, perSecond: number | null): Window[] {
  if (perSecond === null) return []
  const limit = Math.max(1, Math.floor(perSecond))
  return [{ key, limit, lengthMs: Math.ceil((limit / perSecond) * 1000) }]
}
