import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'

/** Reads what Sinch receives: its callbacks and its list have the same objects. */

/** https://developers.sinch.com/docs/sms/api-reference/sms/tag/Webhooks/ */
export function readInbound(event: unknown): kit.CallbackItem {
  const type = textAt(event, 'type')
  if (type !== 'mo_text' && type !== 'mo_media') return kit.unclear(`an event of type "${type}"`)
  const isText = typeof at(event, 'body') === 'string'
  return kit.message({
    id: textAt(event, 'id'),
    from: textAt(event, 'from'),
    to: textAt(event, 'to'),
    text: isText ? textAt(event, 'body') : textAt(event, 'body.message') || textAt(event, 'body.subject'),
    // A picture that Sinch could not fetch has no URL.
    mediaUrls: kit.textsAt(event, 'body.media', 'url'),
  })
}

/** The bound of 10,000 messages stops a list that would otherwise never end. */
const MAX_PAGES = 100
const PAGE_SIZE = 100

/**
 * https://developers.sinch.com/docs/sms/api-reference/sms/tag/Inbounds/: the newest comes first, so a message that
 * arrives in the meantime makes some appear twice, but hides none.
 */
export async function listReceived(since: Date, { ask }: kit.Asking<unknown>): Promise<kit.Listed[]> {
  const listed: kit.Listed[] = []
  for (let page = 0, count = 1; page < MAX_PAGES && page * PAGE_SIZE < count; page += 1) {
    const { body } = await ask({
      path: '/inbounds',
      query: { page: String(page), page_size: String(PAGE_SIZE), start_date: since.toISOString() },
    })
    count = Number(textAt(body, 'count'))
    for (const each of kit.listAt(body, 'inbounds'))
      listed.push({ receivedAt: new Date(textAt(each, 'received_at')), item: readInbound(each) })
  }
  return listed
}
