import type { Database } from '../connection.js'

/** outbound: a line sends it. inbound, voicemail: a line received it. */
export type MediaPurpose = 'outbound' | 'inbound' | 'voicemail'

export interface NewMedia {
  id: string
  userId: string
  lineId: string
  messageId: string
  purpose: MediaPurpose
  sourceUrl: string
  /** The account whose credentials the host of the URL may be shown; null: nobody's. */
  carrier: string | null
  /** Of the URL at which the copy will be. */
  token: string
}

export async function insertMedia(db: Database, media: NewMedia): Promise<void> {
  await db('media').insert({
    id: media.id,
    user_id: media.userId,
    line_id: media.lineId,
    message_id: media.messageId,
    purpose: media.purpose,
    source_url: media.sourceUrl,
    carrier: media.carrier,
    token: media.token,
  })
}
