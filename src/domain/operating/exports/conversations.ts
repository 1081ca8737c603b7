import type { Readable } from 'node:stream'
import {
  ATTEMPT_FIELDS,
  DELIVERY_FIELDS,
  type Delivery,
} from '../../../database/endpoints/deliveries/delivery.js'
import { listAttempts } from '../../../database/endpoints/deliveries/reading.js'
import { findHostedMedia, type MessageMedia } from '../../../database/media/reading.js'
import { explainCarrierCode } from '../../../carriers/codes.js'
import { MESSAGE_FIELDS, type Message } from '../../../database/messages/message.js'
import type { Page } from '../../../database/lists.js'
import { present } from '../../../shape.js'
import { StoredFileMissing } from '../../../storage/storage.js'
import type { Context } from '../../context.js'
import { withAttempts, type DeliveryWithAttempts } from '../../endpoints/deliveries/delivery-history.js'
import { eachRow } from '../../each-row.js'
import { endingOf } from '../../media/types.js'
import { jsonLines, type ExportFile } from './zip.js'

/** The readers of messages and their deliveries, newest first. */
export interface Conversations {
  messages: () => AsyncIterable<Message>
  deliveries: () => AsyncIterable<DeliveryWithAttempts>
}

/** Yields every page of a list of messages. */
export function messagesBy(read: (page: Page) => Promise<Message[]>): AsyncGenerator<Message> {
  return eachRow(read, ({ id }) => id)
}

/** Yields every page of a list of deliveries, with their attempts. */
export function deliveriesBy(
  { db }: Context,
  read: (page: Page) => Promise<Delivery[]>,
): AsyncGenerator<DeliveryWithAttempts> {
  return eachRow(
    async (page) => {
      const deliveries = await read(page)
      const attempts = await listAttempts(
        db,
        deliveries.map(({ id }) => id),
      )
      return deliveries.map((delivery) => withAttempts(delivery, attempts))
    },
    ({ id }) => id,
  )
}

/** The files of a line's or a person's messages. The media come last: the messages are read once more for them. */
export async function* conversationFiles(
  context: Context,
  { messages, deliveries }: Conversations,
  folder = '',
): AsyncGenerator<ExportFile> {
  yield jsonLines(`${folder}messages.jsonl`, shownMessages(messages()))
  yield jsonLines(`${folder}deliveries.jsonl`, shownDeliveries(deliveries()))
  for await (const message of messages()) {
    for (const [n, media] of message.media.entries()) {
      const name = nameOf(message, n)
      if (name === undefined) continue
      yield { name: folder + name, open: () => openMedia(context, media), isCompressed: true }
    }
  }
}

async function* shownMessages(messages: AsyncIterable<Message>) {
  for await (const message of messages) {
    const { media } = message
    yield {
      ...present(MESSAGE_FIELDS, message, {
        carrierCodeMeaning: explainCarrierCode(
          message.carrierKind,
          message.carrierCode,
          message.carrierReason,
        ),
      }),
      media: media.map(({ status, contentType, byteCount }, n) => ({
        status,
        contentType,
        byteCount,
        file: nameOf(message, n) ?? null,
      })),
    }
  }
}

async function* shownDeliveries(deliveries: AsyncIterable<DeliveryWithAttempts>) {
  for await (const delivery of deliveries) {
    yield {
      ...present(DELIVERY_FIELDS, delivery),
      attempts: delivery.attempts.map((attempt) => present(ATTEMPT_FIELDS, attempt)),
    }
  }
}

/** Of the file of a message's nth media, from 0; undefined: it has none. */
function nameOf({ id, media }: Message, n: number): string | undefined {
  const one = media[n]
  if (one?.status !== 'stored' || one.isRemoved) return undefined
  return `media/${id}${n === 0 ? '' : `-${n + 1}`}.${endingOf(one.contentType ?? '')}`
}

/** @returns undefined if it was deleted a moment ago */
async function openMedia({ db, storage }: Context, { token }: MessageMedia): Promise<Readable | undefined> {
  const hosted = await findHostedMedia(db, token)
  if (hosted === undefined || hosted.isRemoved) return undefined
  try {
    return await storage.open(hosted.storageKey)
  } catch (error) {
    if (error instanceof StoredFileMissing) return undefined
    throw error
  }
}
