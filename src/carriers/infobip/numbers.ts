import * as kit from '../kit.js'
import { textAt } from '../kit.js'

/** Finds an account's numbers at Infobip, and sets where they forward what they receive. */

export async function listNumbers(asking: kit.Asking<unknown>): Promise<kit.CarrierNumber[]> {
  return (await listWhole(asking)).map(({ id, number }) => ({ id, number, name: number }))
}

/** https://www.infobip.com/docs/api/platform/resources/resource-management/manage-inbound-configuration */
export async function setUpNumbers(
  wanted: readonly kit.CarrierNumber[],
  asking: kit.Asking<unknown>,
): Promise<void> {
  const listed = (await listWhole(asking)).filter(({ id }) => wanted.some((each) => each.id === id))
  for (const { id, channels } of listed) {
    for (const channel of channels) {
      await asking.ask({
        path: '/resource-management/1/inbound-message-configurations',
        json: {
          channel,
          numberKey: id,
          forwarding: { type: 'HTTP_FORWARD', url: asking.callbackUrl('events') },
        },
      })
    }
  }
}

/** The bound of 10,000 numbers stops a list that would otherwise never end. */
const MAX_PAGES = 100
const PAGE_SIZE = 100

/** https://www.infobip.com/docs/api/platform/numbers/phone-numbers/list-purchased-numbers */
async function listWhole({ ask }: kit.Asking<unknown>) {
  const numbers: { id: string; number: string; channels: string[] }[] = []
  for (let page = 0, count = 1; page < MAX_PAGES && page * PAGE_SIZE < count; page += 1) {
    const { body } = await ask({
      path: '/numbers/1/numbers',
      query: { limit: String(PAGE_SIZE), page: String(page) },
    })
    count = Number(textAt(body, 'numberCount'))
    for (const each of kit.listAt(body, 'numbers')) {
      const channels = kit.textsAt(each, 'capabilities').filter((can) => can === 'SMS' || can === 'MMS')
      const [id, number] = [textAt(each, 'numberKey'), kit.readNumber(textAt(each, 'number'))]
      if (channels.length > 0) numbers.push({ id, number, channels })
    }
  }
  return numbers
}
