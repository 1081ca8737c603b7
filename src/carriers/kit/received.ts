import { contentOf, type Received, type ReceivedRecord } from '../records.js'
import type { Brought, BroughtText } from './brought.js'
import { readNumber, type NumberForm } from './numbers.js'

/** What a provider's list says of one message that came in. Its id is that of the callback. */
export interface Listed {
  receivedAt: Date
  /** What is no message is left out. */
  item: Brought
}

/** A message that came in, with its numbers as E.164. */
export function readReceived(
  { from, to, text, mediaUrls }: BroughtText,
  form: NumberForm | undefined,
): Received {
  return { ...readNumbers({ from, to }, form), content: contentOf(text, mediaUrls) }
}

/** The numbers of what came in, as E.164. */
export function readNumbers({ from, to }: { from: string; to: string }, form: NumberForm | undefined) {
  const toNumber = readNumber(to, form === 'national' ? 'plus' : form)
  return { fromNumber: readNumber(from, form, toNumber), toNumber }
}

/** What was listed, oldest first, without what is older or is for others. */
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
