import * as kit from '../kit.js'
import { textAt } from '../kit.js'

/** Finds the numbers of an account at Plivo, and sets up the application that delivers what they receive. */

type Asking = kit.Asking<unknown>

/** The largest page, and a bound of 2,000 entries for a list that would otherwise never end. */
const PAGE_SIZE = 20
const MAX_PAGES = 100

/** https://www.plivo.com/docs/numbers/api/account-phone-number/list-all-my-numbers/ */
export async function listPlivoNumbers(asking: Asking): Promise<kit.CarrierNumber[]> {
  return (await listAll(asking, '/Number/')).map((each) => {
    const id = textAt(each, 'number')
    const number = kit.readNumber(id, 'plain')
    return { id, number, name: textAt(each, 'alias') || number }
  })
}

/**
 * What a number receives goes to the application that it is linked to. Ours is recognized by the URL that it calls,
 * and created if it is missing: https://docs.plivo.com/docs/account/api/application
 */
export async function setUpPlivoNumbers(wanted: readonly kit.CarrierNumber[], asking: Asking): Promise<void> {
  const { ask, callbackUrl } = asking
  const url = callbackUrl('message')
  const json = { message_url: url, message_method: 'POST' }
  const [address = ''] = url.split('?')
  const known = (await listAll(asking, '/Application/')).find((each) =>
    textAt(each, 'message_url').startsWith(address),
  )
  let appId = textAt(known, 'app_id')
  if (appId === '') {
    // A name must be unique, and this id is in the URL of one account only.
    const name = `linehook-${address.split('/').at(-2) ?? ''}`
    const { body } = await ask({ path: '/Application/', json: { app_name: name, ...json } })
    appId = textAt(body, 'app_id')
    if (appId === '') throw new kit.CarrierRefused('Plivo did not create an application')
  } else {
    await ask({ path: `/Application/${encodeURIComponent(appId)}/`, json })
  }
  for (const { id } of wanted) {
    await ask({ path: `/Number/${encodeURIComponent(id)}/`, json: { app_id: appId } })
  }
}

/** Pages have `limit`, 20 at most, and `offset` (list-all-my-numbers, as above). */
async function listAll({ ask }: Asking, path: string): Promise<unknown[]> {
  const found: unknown[] = []
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { limit: String(PAGE_SIZE), offset: String(page * PAGE_SIZE) }
    const { body } = await ask({ path, query })
    const listed = kit.listAt(body, 'objects')
    found.push(...listed)
    if (listed.length < PAGE_SIZE) break
  }
  return found
}
