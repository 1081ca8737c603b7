import { expect } from 'chai'
import type { Context } from '../../src/domain/context.js'
import type { Answer } from '../helpers/web/web.js'

export interface MessageRow {
  id: string
  from_number: string
  to_number: string
  text: string
  status: string
  source: string
}

/** What is kept of a line's outbound messages, oldest first. */
export async function messagesOf({ db }: Context, lineId: string): Promise<MessageRow[]> {
  return db('messages').where({ line_id: lineId, direction: 'outbound' }).orderBy('id').select<MessageRow[]>()
}

export async function backdateMessages({ db }: Context, lineId: string, seconds: number): Promise<void> {
  await db('messages')
    .where({ line_id: lineId })
    .update({ created_at: db.raw('created_at - make_interval(secs => ?)', [seconds]) })
}

/** How many of the seconds are left at least that began after `since`, a `performance.now()`. */
export function leftOf(seconds: number, since: number): number {
  return Math.floor(seconds - (performance.now() - since) / 1000)
}

export function expectAccepted(answer: Answer): void {
  expect([answer.status, answer.text]).to.deep.equal([200, '{"success":true}'])
}

/** The specification's shape (§2.8), nothing beside it. */
export function expectRefused(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.body]).to.deep.equal([status, { success: false, error }])
}

/** A number of its own for each call, so that no two tests share a window. */
export function newNumber(): string {
  count += 1
  return `+1500555${String(1000 + count)}`
}

let count = 0

/** The message that an event is about. */
export async function messageOfEvent({ db }: Context, eventId: string): Promise<string> {
  const event = await db('events').where({ id: eventId }).first<{ message_id: string }>('message_id')
  return event.message_id
}
