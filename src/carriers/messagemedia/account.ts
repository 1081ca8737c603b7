import * as kit from '../kit.js'
import { textAt } from '../kit.js'

type Ask = kit.Asking<unknown>['ask']

/** The bound of 10,000 entries stops a list that would otherwise never end. */
const MAX_PAGES = 100

/** https://messagemedia.github.io/documentation/#tag/Dedicated-Numbers: the numbers that are assigned to the account. */
export async function listNumbers(ask: Ask): Promise<kit.CarrierNumber[]> {
  const numbers: kit.CarrierNumber[] = []
  for (let page = 0, token = ''; page === 0 || (token !== '' && page < MAX_PAGES); page += 1) {
    const query = { page_size: '100', ...(token === '' ? {} : { token }) }
    const { body } = await ask({ path: '/v1/messaging/numbers/dedicated/assignments', query })
    for (const each of kit.listAt(body, 'data')) {
      // Most have no plus sign. A line that is a short code needs its country, which the list does not give.
      const number = kit.readNumber(textAt(each, 'number.phone_number'))
      const name = textAt(each, 'assignment.label') || number
      if (number.startsWith('+')) numbers.push({ id: textAt(each, 'number.id'), number, name })
    }
    token = textAt(body, 'pagination.next_token')
  }
  return numbers
}

/**
 * The fields are those of MessageMedia's own webhooks, and the parameters those of the same page: only `$attachments`
 * has the media of an MMS. `$esc.json` keeps people's texts from becoming part of the JSON. A parameter without a value
 * would be sent as its own name, so anything that an MMS may lack is inside a condition.
 */
const TEMPLATE = [
  '{"type":"$!type","reply_id":"$replyId","source_number":"$sourceAddress",',
  '#if ($attachments) "attachments":[ #foreach ($entry in $attachments)',
  '{"content_type":"$entry.contentType","content":"$entry.base64"}#if( $foreach.hasNext ),#end #end ], #end',
  '#if ($moContent) "content":"$esc.json($moContent)", #end',
  '"destination_number":"$destinationAddress"}',
].join(' ')

/**
 * A webhook belongs to the account, for all of its numbers. One that already has our URL is replaced, because the same
 * URL twice is refused: https://messagemedia.github.io/documentation/#tag/Webhooks-Management. It gets no reports,
 * because each message says where its reports go.
 */
export async function setUpWebhook(ask: Ask, url: string): Promise<void> {
  const path = '/v1/webhooks/messages'
  const webhook = {
    url,
    method: 'POST',
    encoding: 'JSON',
    events: ['RECEIVED_SMS', 'RECEIVED_MMS'],
    template: TEMPLATE,
    // Without this, a failed request is not repeated.
    retries: 5,
    retry_delay: 60,
  }
  const { body } = await ask({ path, query: { page: '0', page_size: '100' } })
  const known = kit.listAt(body, 'pageData').find((each) => textAt(each, 'url') === url)
  if (known === undefined) await ask({ path, json: webhook })
  else await ask({ method: 'PATCH', path: `${path}/${textAt(known, 'id')}`, json: webhook })
}
