import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'

type Asking = kit.Asking<{ signingKey: string }>

/** The app makes contact every quarter of an hour, as far as Android allows; now and then a heartbeat is lost. */
const AWAY_AFTER_MS = 40 * 60_000

/** The largest page, and the bound for a list that would otherwise never end. */
const [PAGE, MAX_PHONES] = [20, 2000]

export async function listNumbers({ ask }: Asking): Promise<kit.CarrierNumber[]> {
  const numbers: kit.CarrierNumber[] = []
  for (let isMore = true; isMore && numbers.length < MAX_PHONES;) {
    const query = { skip: String(numbers.length), limit: String(PAGE) }
    const page = kit.listAt((await ask({ path: '/v1/phones', query })).body, 'data')
    for (const each of page) {
      const number = textAt(each, 'phone_number')
      numbers.push({ id: textAt(each, 'id'), number, name: number })
    }
    isMore = page.length === PAGE
  }
  return numbers
}

/** Each SIM card is a phone, which is identified by its number. */
export function readPhone(
  number: string,
  at: string,
  state: { isCharging?: boolean } = {},
): kit.CallbackItem {
  return kit.phone({ id: number, at, awayAfterMs: AWAY_AFTER_MS, ...state })
}

/** The API knows whether a phone is charging, but not how full its battery is. */
export async function listPhones(asking: Asking): Promise<kit.PhoneState[]> {
  const phones: kit.PhoneState[] = []
  for (const { number } of await listNumbers(asking)) {
    const query = { owner: number, limit: '1' }
    const [beat] = kit.listAt((await asking.ask({ path: '/v1/heartbeats', query })).body, 'data')
    const isCharging = at(beat, 'charging')
    const state = typeof isCharging === 'boolean' ? { isCharging } : {}
    const item = readPhone(number, textAt(beat, 'timestamp'), state)
    // A phone that never made contact has no heartbeat.
    if (item.kind === 'phone') phones.push(item.phone)
  }
  return phones
}

/** See https://docs.httpsms.com/webhooks/introduction : one webhook serves all of the account's lines. */
export async function setUpWebhook(
  wanted: readonly kit.CarrierNumber[],
  asking: Asking,
  events: readonly string[],
): Promise<void> {
  const { ask, callbackUrl, settings } = asking
  const url = callbackUrl('events')
  const { body } = await ask({ path: '/v1/webhooks', query: { limit: String(PAGE) } })
  const ours = kit.listAt(body, 'data').find((each) => pathOf(textAt(each, 'url')) === pathOf(url))
  // A webhook may still have a phone that the account no longer has, but no request may name one.
  const phones = (await listNumbers(asking)).map(({ number }) => number)
  const kept = kit.textsAt(ours, 'phone_numbers').filter((number) => phones.includes(number))
  const numbers = new Set([...kept, ...wanted.map(({ number }) => number)])
  await ask({
    method: ours === undefined ? 'POST' : 'PUT',
    path: ours === undefined ? '/v1/webhooks' : `/v1/webhooks/${textAt(ours, 'id')}`,
    json: { url, signing_key: settings.signingKey, phone_numbers: [...numbers], events },
  })
}

function pathOf(url: string): string {
  return url.replace(/\?.*/, '')
}
