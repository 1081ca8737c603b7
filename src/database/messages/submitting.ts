import type { Database } from '../connection.js'
import { toJson } from '../text.js'

export interface ApiMessage {
  id: string
  lineId: string
  source: 'application' | 'api' | 'console'
  /** null: its user sends it. */
  applicationId: string | null
  /** E.164 */
  toNumber: string
  text: string | null
  mediaUrl: string | null
  /** Of an application or a user: their keys are kept apart. */
  scopeId: string
  key: string | undefined
  /** Hex; what the request asks for, to tell a repeat from another request under the same key. */
  hash: string
}

export interface ApiMessageAnswer {
  outcome:
    'accepted' | 'replayed' | 'key_reused' | 'key_in_flight' | 'not_connected' | 'opted_out' | 'line_full'
  /** Of the accepted message, or of the first one under the same key. */
  messageId: string | null
}

/** What is answered as `accepted` is committed. */
export async function acceptApiMessage(
  db: Database,
  message: ApiMessage,
  maxQueuedPerLine: number,
): Promise<ApiMessageAnswer> {
  const { rows } = await db.raw<{ rows: [ApiMessageAnswer] }>(
    'select outcome, message_id as "messageId" from accept_api_message(?::jsonb, ?)',
    [
      toJson({
        id: message.id,
        line_id: message.lineId,
        source: message.source,
        application_id: message.applicationId,
        to: message.toNumber,
        text: message.text,
        media_url: message.mediaUrl,
        scope_id: message.scopeId,
        key: message.key,
        hash: message.hash,
      }),
      maxQueuedPerLine,
    ],
  )
  return rows[0]
}
