import * as kit from '../kit.js'
import { textAt } from '../kit.js'
import type { Settings } from './phone.js'

/**
 * Registers our URL for each event: https://docs.sms-gate.app/features/webhooks/. The app makes an event for each
 * registration, so one beside an old one would bring every text twice. An old one of ours has our path, whatever
 * PUBLIC_URL was then, and a request with its id replaces it.
 */
export async function setUpWebhooks(
  { ask, callbackUrl, settings: { deviceId } }: kit.Asking<Settings>,
  events: readonly string[],
): Promise<void> {
  const url = callbackUrl('events')
  const path = url.slice(url.lastIndexOf('/carriers/'))
  const { body } = await ask({ path: '/webhooks' })
  const ours = kit.listAt({ body }, 'body').filter((each) => textAt(each, 'url').endsWith(path))
  // The phone's own server gives no device.
  const isRight = (each: unknown) => textAt(each, 'url') === url && textAt(each, 'deviceId') === deviceId
  for (const event of events) {
    const known = ours.filter((each) => textAt(each, 'event') === event)
    if (known.some(isRight)) continue
    const id = textAt(known[0], 'id') || undefined
    await ask({ path: '/webhooks', json: { id, url, event, deviceId: deviceId || undefined } })
  }
}
