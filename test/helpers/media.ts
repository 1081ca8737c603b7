import { fetchMedia, type FetchOutcome } from '../../src/domain/media/fetch.js'
import type { Context } from '../../src/domain/context.js'

/** A row of `media`, as far as tests look at it. */
export interface MediaRow {
  id: string
  message_id: string
  purpose: string
  source_url: string
  carrier: string | null
  token: string
  status: string
  failure: string | null
  content_type: string | null
  byte_count: number | null
  width: number | null
  height: number | null
  storage_key: string | null
  attempt_count: number
  crash_count: number
  job_generation: number
  due_at: Date
  removed_at: Date | null
}

/** Of a message. */
export async function mediaRow({ db }: Context, messageId: string): Promise<MediaRow> {
  const row = await db('media').where({ message_id: messageId }).first<MediaRow | undefined>()
  if (row === undefined) throw new Error(`the message ${messageId} has no media`)
  return row
}

/** What `fetch-media` does with a message's media, in this process. @returns how the attempt ended */
export async function copyMedia(context: Context, messageId: string): Promise<FetchOutcome> {
  return fetchMedia(context, (await mediaRow(context, messageId)).id)
}

/** Attempt after attempt without the waits between them. */
export async function copyMediaToTheEnd(context: Context, messageId: string): Promise<FetchOutcome> {
  for (let attempts = 0; attempts < 20; attempts += 1) {
    const outcome = await copyMedia(context, messageId)
    if (outcome.kind !== 'retry') return outcome
  }
  throw new Error('it is tried again and again')
}
