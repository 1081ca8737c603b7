import { Readable } from 'node:stream'
import type { Context } from '../../../../src/domain/context.js'
import { newToken } from '../../../../src/secrets.js'
import { lowestIdAt } from '../../../helpers/lowest-id.js'
import type { TestLine } from '../../../helpers/factories.js'
import { ANNA, nameAtCarrier } from '../../fixtures.js'

/** The first moment of the month so many months ago. */
export function monthAgo(months: number): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))
}

export function nameOf(table: string, month: Date): string {
  return `${table}_${month.toISOString().slice(0, 7).replace('-', '')}`
}

const PARTITIONED = [
  'messages',
  'events',
  'deliveries',
  'delivery_attempts',
  'listener_attempts',
  'audit_log',
]

export async function makePartitions({ db }: Context, month: Date): Promise<void> {
  for (const table of PARTITIONED) {
    await db.raw('select ensure_partitions(?, ?::date, 1)', [table, month.toISOString().slice(0, 10)])
  }
}

/** As `newId`, of a row that was made then. */
export function idAt(moment: Date): string {
  const random = crypto.randomUUID().slice(19)
  return `${lowestIdAt(moment).slice(0, 14)}7${crypto.randomUUID().slice(15, 19)}${random}`
}

export interface PastText {
  messageId: string
  eventId: string
  deliveryId: string
  attemptId: string
  mediaId: string
  storageKey: string
  carrierMessageId: string
}

/** A picture that a line received then, all that came of it, and what the simulator took at that time. */
export async function insertPast(
  { db, storage }: Context,
  line: TestLine,
  at: Date,
  overrides: {
    number?: string
    message?: object
    event?: object
    delivery?: object
    attempt?: object
    media?: object
  } = {},
): Promise<PastText> {
  const ids: PastText = {
    messageId: idAt(at),
    eventId: idAt(at),
    deliveryId: idAt(at),
    attemptId: idAt(at),
    mediaId: idAt(at),
    storageKey: `past/${newToken()}`,
    carrierMessageId: idAt(at),
  }
  const number = overrides.number ?? ANNA
  const of = { user_id: line.userId, line_id: line.lineId, created_at: at }
  await db('messages').insert({
    ...{
      id: ids.messageId,
      ...of,
      direction: 'inbound',
      source: 'carrier',
      type: 'media',
      status: 'received',
    },
    ...{
      from_number: number,
      to_number: line.number,
      text: 'See you at noon',
      media_urls: ['https://example.com/m'],
    },
    carrier_message_id: ids.carrierMessageId,
    ...overrides.message,
  })
  await db('events').insert({
    ...{
      id: ids.eventId,
      ...of,
      message_id: ids.messageId,
      type: 'inboundMedia',
      payload: 'See you at noon',
    },
    ...{ from_number: number, to_number: line.number },
    ...overrides.event,
  })
  await db('deliveries').insert({
    ...{ id: ids.deliveryId, ...of, event_id: ids.eventId, endpoint_id: ids.eventId, type: 'inboundMedia' },
    ...{ from_number: number, status: 'delivered', attempt_count: 1 },
    ...overrides.delivery,
  })
  await db('delivery_attempts').insert({
    ...{ id: ids.attemptId, delivery_id: ids.deliveryId, attempt_number: 1, started_at: at, duration_ms: 5 },
    ...{ response_status: 200, response_excerpt: `thank you, ${number}` },
    ...{ response_headers: { 'x-from': number }, request_headers: { 'webhook-signature': `v1,${number}` } },
    ...overrides.attempt,
  })
  await storage.put(ids.storageKey, Readable.from([Buffer.from('picture')]), 7)
  await db('media').insert({
    ...{ id: ids.mediaId, user_id: line.userId, line_id: line.lineId, message_id: ids.messageId },
    ...{ purpose: 'inbound', source_url: 'https://example.com/m', token: newToken(), status: 'stored' },
    ...{ storage_key: ids.storageKey, content_type: 'image/png', byte_count: 7, stored_at: db.fn.now() },
    ...overrides.media,
  })
  await nameAtCarrier({ db }, ids.messageId, ids.carrierMessageId)
  await db('simulator_outbox').insert({
    ...{ carrier_message_id: ids.carrierMessageId, message_id: ids.messageId, taken_at: at },
    ...{ from_number: line.number, to_number: number, text: 'On my way', receipt_sent_at: at },
  })
  return ids
}

/** Which of the rows are left, by table. */
export async function leftOf(context: Context, past: PastText): Promise<string[]> {
  const rows: [table: string, where: Record<string, string>][] = [
    ['messages', { id: past.messageId }],
    ['events', { id: past.eventId }],
    ['deliveries', { id: past.deliveryId }],
    ['delivery_attempts', { id: past.attemptId }],
    ['media', { id: past.mediaId }],
    ['carrier_message_ids', { carrier_message_id: past.carrierMessageId }],
    ['simulator_outbox', { carrier_message_id: past.carrierMessageId }],
  ]
  const left: string[] = []
  for (const [table, where] of rows) {
    if ((await context.db(table).where(where)).length > 0) left.push(table)
  }
  if (await hasFile(context, past.storageKey)) left.push('file')
  return left
}

export const EVERYTHING = [
  ...['messages', 'events', 'deliveries', 'delivery_attempts', 'media', 'carrier_message_ids'],
  ...['simulator_outbox', 'file'],
]

export async function hasFile({ storage }: Context, key: string): Promise<boolean> {
  try {
    const file = await storage.open(key)
    file.destroy()
    return true
  } catch {
    return false
  }
}
