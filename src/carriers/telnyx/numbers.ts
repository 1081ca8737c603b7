import * as kit from '../kit.js'
import { textAt } from '../kit.js'

type Asking = kit.Asking<object>

/** The bound of 25,000 numbers stops a list that would otherwise never end. */
const MAX_PAGES = 100

export async function listTelnyxNumbers(asking: Asking): Promise<kit.CarrierNumber[]> {
  return (await listNumbers(asking)).map(({ id, number }) => ({ id, number, name: number }))
}

/** Webhooks belong to a profile: https://developers.telnyx.com/api-reference/profiles/update-a-messaging-profile */
export async function setUpTelnyxNumbers(
  wanted: readonly kit.CarrierNumber[],
  asking: Asking,
): Promise<void> {
  const url = asking.callbackUrl('events')
  const listed = (await listNumbers(asking)).filter(({ id }) => wanted.some((each) => each.id === id))
  const bare = listed.find(({ profileId }) => profileId === '')
  if (bare) throw new kit.CarrierRefused(`${bare.number}: assign it a messaging profile in the Telnyx portal`)
  for (const profileId of new Set(listed.map((each) => each.profileId))) {
    await asking.ask({
      method: 'PATCH',
      path: `/messaging_profiles/${profileId}`,
      json: { webhook_url: url, webhook_failover_url: url, webhook_api_version: '2' },
    })
  }
}

/** https://developers.telnyx.com/api-reference/phone-number-configurations/list-phone-numbers-with-messaging-settings */
async function listNumbers({ ask }: Asking) {
  const numbers: { id: string; number: string; profileId: string }[] = []
  for (let page = 1, count = 1; page <= Math.min(count, MAX_PAGES); page += 1) {
    const query = { 'page[number]': String(page), 'page[size]': '250' }
    const { body } = await ask({ path: '/phone_numbers/messaging', query })
    count = Number(textAt(body, 'meta.total_pages'))
    for (const each of kit.listAt(body, 'data')) {
      const [id, number] = [textAt(each, 'id'), textAt(each, 'phone_number')]
      numbers.push({ id, number, profileId: textAt(each, 'messaging_profile_id') })
    }
  }
  return numbers
}
