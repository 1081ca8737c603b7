import type { Database } from '../../database/connection.js'
import { listHandedOver, listSendingLimits } from '../../database/messages/limits.js'
import type { Conversation } from '../../database/messages/requeueing.js'
import type { MessageToSend } from '../../database/messages/sending.js'
import { isShort } from '../../kit/text/segments.js'
import { sha256 } from '../../secrets.js'
import type { Pace } from '../../carriers/carrier.js'
import type { SlidingWindows, Window } from '../../kit/redis/sliding-window.js'
import { findCarrierClient } from '../carriers/carrier-clients.js'
import { SettingsUnreadable } from '../carriers/carrier-settings.js'
import type { Context } from '../context.js'

/**
 * This is a little longer than the minute of `claim_messages`, which decides in the end and counts from the
 * hand-over. So a message that has a place here seldom finds the window still full there.
 */
const WINDOW_MS = 60_250

interface Tools {
  db: Database
  windows: SlidingWindows
}

/** The hash tag makes Redis Cluster keep all windows of a line together. Full phone numbers stay out of Redis. */
export function numberWindowKey(lineId: string, number: string): string {
  return `lh:{${lineId}}:to:${sha256(number).toString('base64url').slice(0, 22)}`
}

/**
 * Takes a place in every window of the line, and then in the window of its account, which has another hash tag. A
 * message that waits for the account keeps its places in the line until then. Otherwise they would expire by then, and
 * the line's next messages would take places only to wait for the account as well (measured: five lines at 1/s each, at
 * an account with 3/s, sent 1/s together).
 *
 * The service's own replies go first: anyone who texts STOP expects the confirmation within minutes, however much is
 * waiting on the line (47 CFR 64.1200(a)(12)). So does a message that the carrier has throttled: it had its turn before
 * all those that wait.
 *
 * The line's limits count texts. Its pace and that of its account count what the carrier does: the parts that it gets.
 *
 * @returns the milliseconds to wait; 0 if it is its turn
 * @throws Unavailable
 */
export async function enterWindows(context: Context, message: MessageToSend): Promise<number> {
  const { windows } = context
  const { id, account, goesFirst } = message
  const places = await countPlaces(context, message)
  const ofLine = windowsOfLine(message, places)
  const take = (of: Window[]) => (goesFirst ? windows.takeFirst(id, of) : windows.take(id, of))
  const waitMs = await take(ofLine)
  const ofAccount = paceWindow(paceKey(account.id), account.messagesPerSecond, places)
  if (waitMs > 0 || ofAccount.length === 0) return waitMs
  const accountWaitMs = await take(ofAccount)
  if (accountWaitMs > 0) await windows.hold(id, ofLine, accountWaitMs)
  return accountWaitMs
}

async function countPlaces(context: Context, { account, text }: MessageToSend): Promise<number> {
  const hasPace = (account.messagesPerSecond ?? account.messagesPerSecondPerLine) !== null
  if (!hasPace || isShort(text ?? '')) return 1
  const carrier = await findCarrierClient(context, account).catch(ifUnreadable)
  return carrier?.countParts?.(text ?? '') ?? 1
}

/** Then nothing is handed over, and another account may take it (`send.ts`). */
function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof SettingsUnreadable)) throw error
}

/**
 * Called if the claim found the windows full although there were places here: Redis has lost some, or messages were
 * handed over later than they took their places. The rows restore the places, and the message keeps its own until it
 * asks again.
 *
 * @throws Unavailable
 */
export async function refillWindows(
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
    places.filter((each) => each.toNumber === toNumber && each.countsForNumber),
  )
  await windows.hold(id, [ofNumber, ofLine], waitMs)
}

/**
 * Removes messages that no longer need a place from all windows in which they may be waiting.
 *
 * @returns the messages that waited behind them and may ask earlier, with the milliseconds until then
 * @throws Unavailable
 */
export async function leaveWindows(
  { db, windows }: Tools,
  messages: readonly ({ id: string } & Conversation)[],
): Promise<{ id: string; waitMs: number }[]> {
  const byLine = new Map<string, typeof messages>()
  for (const each of messages) byLine.set(each.lineId, [...(byLine.get(each.lineId) ?? []), each])
  const left = new Map<string, { window: Window; members: string[] }>()
  const add = (window: Window, member: string) => {
    const known = left.get(window.key)
    if (known === undefined) left.set(window.key, { window, members: [member] })
    else known.members.push(member)
  }
  for (const { lineId, account, ...limits } of await listSendingLimits(db, [...byLine.keys()])) {
    const ofAccount = paceWindow(paceKey(account.id), account.messagesPerSecond)
    for (const { id, toNumber } of byLine.get(lineId) ?? []) {
      const ofLine = windowsOfLine({ lineId, toNumber, account, ...limits })
      for (const window of [...ofLine, ...ofAccount]) add(window, id)
    }
  }
  const told = await Promise.all(
    [...left.values()].map(({ window, members }) => windows.leave(window, [...new Set(members)])),
  )
  const waits = new Map<string, number>()
  for (const { member, waitMs } of told.flat()) waits.set(member, Math.max(waitMs, waits.get(member) ?? 0))
  return [...waits].map(([id, waitMs]) => ({ id, waitMs }))
}

/**
 * Forgets which messages wait for the paces of these lines or accounts, and for the limits of these lines. Each was
 * given a time, and later ones get theirs from it, so all of them have to ask again.
 *
 * @throws Unavailable
 */
export async function forgetTurns(
  { windows }: Pick<Tools, 'windows'>,
  ids: readonly string[],
): Promise<void> {
  await windows.forgetWaiting(ids.flatMap((id) => [lineKey(id), paceKey(id)]))
}

function lineKey(lineId: string): string {
  return `lh:{${lineId}}:line`
}

function paceKey(id: string): string {
  return `lh:{${id}}:pace`
}

function windowsOfLine(
  message: Pick<MessageToSend, 'lineId' | 'toNumber' | 'numberLimit' | 'lineLimit'> & {
    account: Pick<MessageToSend['account'], 'messagesPerSecondPerLine'>
  },
  places = 1,
): [Window, Window, ...Window[]] {
  const { lineId, toNumber, numberLimit, lineLimit, account } = message
  return [
    { key: numberWindowKey(lineId, toNumber), limit: numberLimit, lengthMs: WINDOW_MS },
    { key: lineKey(lineId), limit: lineLimit, lengthMs: WINDOW_MS },
    ...paceWindow(paceKey(lineId), account.messagesPerSecondPerLine, places),
  ]
}

function paceWindow(key: string, perSecond: number | null, places = 1): Window[] {
  return perSecond === null ? [] : [{ key, ...paceOf(perSecond), places }]
}

/**
 * A pace below 1/s becomes one message in as many seconds as it takes. One of 4.8/s becomes 5 in a little more than a second:
 * with 4 in a little less, one second could have 8.
 */
export function paceOf(perSecond: number): Pace {
  const limit = Math.ceil(perSecond)
  return { limit, lengthMs: Math.ceil((limit / perSecond) * 1000) }
}
