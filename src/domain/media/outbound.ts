import type { NewMedia } from '../../database/media/creating.js'
import { newToken } from '../../secrets.js'

/** The copy that a message of a line waits for; whose credentials its host gets: nobody's. */
export function outboundMedia(
  id: string,
  message: { userId: string; lineId: string; messageId: string },
  sourceUrl: string,
): NewMedia {
  return { ...message, id, purpose: 'outbound', sourceUrl, carrier: null, token: newToken() }
}
