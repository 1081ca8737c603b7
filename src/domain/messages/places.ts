import type { Database } from '../../database/connection.js'
import { listHandedOver } from '../../database/messages/handed-over.js'
import type { MessageToSend } from '../../database/messages/sending.js'
import { sha256 } from '../../secrets.js'
import type { SlidingWindows, Window } from '../../sliding-window.js'

/**
 * Longer than the minute of `claim_messages`, which has the last word and counts from the hand-over: who is told here
 * that there is a place seldom finds out there that there is none yet.
 */
const WINDOW_MS = 60_250

interface Tools {
  db: Database
  windows: SlidingWindows
}

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
export async function takePlaces(
  { windows }: Pick<Tools, 'windows'>,
  message: MessageToSend,
): Promise<number> {
  const { id, account } = message
  const ofLine = windowsOfLine(message)
  const waitMs = await windows.take(id, ofLine)
  const ofAccount = paceWindow(`lh:{${account.id}}:pace`, account.messagesPerSecond)
  if (waitMs > 0 || ofAccount.length === 0) return waitMs
  const accountWaitMs = await windows.take(id, ofAccount)
  if (accountWaitMs > 0) await windows.hold(id, ofLine, accountWaitMs)
  return accountWaitMs
}

/**
 * The claim found the windows full although there were places here: Redis has lost some, or they were taken later than
 * asked for. They are put back from the rows, and the message keeps its own until it asks again.
 *
 * @throws Unavailable
 */
export async function refillPlaces(
  { db, windows }: Tools,
  message: MessageToSend,
  waitMs: number,
): Promise<void> {
  const { id, lineId, toNumber } = message
  const places = (await listHandedOver(db, lineId)).map((each) => ({ ...each, member: each.id }))
  const [ofNumber, ofLine] = windowsOfLine(message)
  await windows.fill(ofLine, places)
  await windows.fill(
    ofNumber,
    places.filter((each) => each.toNumber === toNumber),
  )
  await windows.hold(id, [ofNumber, ofLine], waitMs)
}

function windowsOfLine(message: MessageToSend): [Window, Window, ...Window[]] {
  const { lineId, toNumber, numberLimit, lineLimit, account } = message
  return [
    { key: numberWindowKey(lineId, toNumber), limit: numberLimit, lengthMs: WINDOW_MS },
    { key: `lh:{${lineId}}:line`, limit: lineLimit, lengthMs: WINDOW_MS },
    ...paceWindow(`lh:{${lineId}}:pace`, account.messagesPerSecondPerLine),
  ]
}

/** A carrier's pace, such as 1/s; below that one message in as many seconds as it takes. */
function paceWindow(key: string, perSecond: number | null): Window[] {
  if (perSecond === null) return []
  const limit = Math.max(1, Math.floor(perSecond))
  return [{ key, limit, lengthMs: Math.ceil((limit / perSecond) * 1000) }]
}
