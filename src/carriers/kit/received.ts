import { contentOf, type Received, type ReceivedRecord } from '../records.js'
import type { CallbackItem, MessageItem } from './callback-items.js'
import { readNumber, type NumberForm } from './numbers.js'

/** One incoming message in a provider's list. Its id is that of the callback. */
export interface Listed {
  receivedAt: Date
  /** An item that is not a message is left out. */
  item: CallbackItem
}

/** The URL (RFC 2397) of media that are in a request, as base64; '' if they are not base64. */
export function dataUrl(contentType: string, base64: string): string {
  const bare = base64.replace(/\s/g, '')
  return /^[A-Za-z0-9+/]+={0,2}$/.test(bare)
    ? `data:${contentType.replace(/[^\w/.+-]/g, '')};base64,${bare}`
    : ''
}

/** An incoming message, with its numbers in E.164. */
export function readReceived(
  { from, to, text, mediaUrls }: MessageItem,
  form: NumberForm | undefined,
): Received {
  return { ...readNumbers({ from, to }, form), content: contentOf(text, mediaUrls) }
}

/** Converts the numbers of an incoming message to E.164. */
export function readNumbers({ from, to }: { from: string; to: string }, form: NumberForm | undefined) {
  const toNumber = readNumber(to, form === 'national' ? 'plus' : form)
  return { fromNumber: readNumber(from, form, toNumber), toNumber }
}

/** Returns the list oldest first, without older items and those for other numbers. */
export function recordsOf(
  listed: readonly Listed[],
  { since, numbers, form }: { since: Date; numbers: readonly string[]; form: NumberForm | undefined },
): ReceivedRecord[] {
  return listed
    .flatMap(({ receivedAt, item }) => {
      if (item.kind !== 'message' || !(receivedAt >= since)) return []
      const found = readReceived(item, form)
      if (!numbers.includes(found.toNumber)) return []
      return [{ receivedAt, id: item.id, read: () => Promise.resolve(found) }]
    })
    .sort((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime())
}
