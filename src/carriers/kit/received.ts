import { partsOf, type ReceivedParts, type ReceivedRecord } from '../records.js'
import type { Brought, BroughtText } from './brought.js'
import { readNumber, type NumberForm } from './numbers.js'

/** What a provider's list says of one message that came in. Its id is that of the callback. */
export interface Listed {
  receivedAt: Date
  /** What is no message is left out. */
  item: Brought
}

/** The most that anybody allows in a message is ten. Each becomes a message of its own, with a copy to make. */
const MAX_MEDIA = 10

/** A message that came in, as ours: its parts, and its numbers as E.164. */
export function readReceived(
  { id, from, to, text, mediaUrls }: BroughtText,
  form: NumberForm | undefined,
): ReceivedParts {
  return { ...readNumbers({ from, to }, form), parts: partsOf(id, text, mediaUrls.slice(0, MAX_MEDIA)) }
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
      const ids = found.parts.map(({ id }) => id)
      return numbers.includes(found.toNumber) ? [{ receivedAt, ids, read: () => Promise.resolve(found) }] : []
    })
    .sort((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime())
}
