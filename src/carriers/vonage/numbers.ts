import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'

/** Finds the numbers of an account at Vonage, and sets up the application that delivers what they receive. */

type Asking = kit.Asking<{ applicationId: string }>

/** The bound of 10,000 numbers stops a list that would otherwise never end. */
const MAX_PAGES = 100
const PAGE_SIZE = 100

interface VonageNumber extends kit.CarrierNumber {
  country: string
  /** The application that it is linked to; '' if there is none. */
  applicationId: string
  /** Its other settings, such as the phone that its calls go to. */
  others: Readonly<Record<string, string>>
}

/** The settings of a number that have the same names in the list and in an update. */
const OTHERS = ['voiceCallbackType', 'voiceCallbackValue', 'voiceStatusCallback', 'moHttpUrl']

/** See https://developer.vonage.com/en/api/numbers, "List the numbers you own". */
export async function listVonageNumbers({ ask }: Asking, accountUrl: string): Promise<VonageNumber[]> {
  const numbers: VonageNumber[] = []
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = { index: String(page), size: String(PAGE_SIZE) }
    const { body } = await ask({ path: `${accountUrl}/account/numbers`, query })
    // For an account without any numbers, the response is {}.
    const listed = kit.listAt(body, 'numbers')
    for (const each of listed) {
      const [id, country] = [textAt(each, 'msisdn'), textAt(each, 'country')]
      const number = kit.readNumber(id, 'plain')
      const others = OTHERS.map((name) => [name, textAt(each, name)]).filter(([, value]) => value !== '')
      numbers.push({
        ...{ id, number, name: number, country },
        applicationId: textAt(each, 'app_id'),
        others: Object.fromEntries(others) as Record<string, string>,
      })
    }
    if (listed.length < PAGE_SIZE) break
  }
  return numbers
}

/**
 * Tells the application of the account where to call, and links the numbers to it. An application is written as a
 * whole, so its other fields are sent back as they were read: https://developer.vonage.com/en/api/application.v2
 */
export async function setUpVonageNumbers(
  wanted: readonly kit.CarrierNumber[],
  asking: Asking,
  accountUrl: string,
): Promise<void> {
  const { ask, callbackUrl, settings } = asking
  const { applicationId } = settings
  if (applicationId === '') {
    throw new kit.CarrierRefused(
      'applicationId is required, because Vonage passes messages to an application. Set it in the account',
    )
  }
  const path = `/v2/applications/${encodeURIComponent(applicationId)}`
  const { body } = await ask({ path })
  const hook = (name: string) => ({ address: callbackUrl(name), http_method: 'POST' })
  await ask({
    method: 'PUT',
    path,
    json: {
      name: at(body, 'name'),
      keys: at(body, 'keys'),
      privacy: at(body, 'privacy'),
      capabilities: {
        ...recordAt(body, 'capabilities'),
        messages: {
          ...recordAt(body, 'capabilities.messages'),
          version: 'v1',
          webhooks: { inbound_url: hook('inbound'), status_url: hook('status') },
        },
      },
    },
  })
  const owned = await listVonageNumbers(asking, accountUrl)
  for (const { id, country, applicationId: linked, others } of owned) {
    if (linked === applicationId || !wanted.some((one) => one.id === id)) continue
    // See https://developer.vonage.com/en/api/numbers, "Update a number". It clears each setting that it does not name,
    // such as a call forwarding: https://github.com/Nexmo/nexmo-cli/issues/83
    const form = { ...others, country, msisdn: id, app_id: applicationId }
    await ask({ path: `${accountUrl}/number/update`, form })
  }
}

function recordAt(value: unknown, path: string): Record<string, unknown> {
  const found = at(value, path)
  return kit.isRecord(found) ? found : {}
}
