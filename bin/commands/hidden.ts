import type { DeliveryAttempt } from '../../src/database/endpoints/deliveries/delivery.js'
import type { Delivery } from '../../src/database/endpoints/deliveries/delivery.js'
import type { Message } from '../../src/database/messages/message.js'
import type { Context } from '../../src/domain/context.js'
import { presentAttempt, presentDelivery, presentMessage } from '../../src/web/api/presenters.js'
import { maskNumber } from '../terminal.js'

/** What an operator wants to see of other people's messages: by default neither whole numbers nor what was said. */
export interface Shown {
  numbers?: boolean
  text?: boolean
}

/** As /v1 shows it, without what is hidden. In the place of a text stands its length. */
export function shownMessage(context: Context, message: Message, shown: Shown): Record<string, unknown> {
  const { text, mediaUrl, media, ...rest } = presentMessage(context, message)
  const content =
    shown.text === true
      ? { text, mediaUrl, media }
      : { textLength: message.text?.length ?? null, media: media && { ...media, url: undefined } }
  return { ...rest, ...numbersOf(message, shown), ...content }
}

/** As /v1 shows it, but of the URL only the origin: people put secrets into its path. */
export function shownDelivery(
  { vocabulary }: Context,
  delivery: Delivery,
  shown: Shown,
): Record<string, unknown> {
  return {
    ...presentDelivery(vocabulary, delivery),
    url: originOf(delivery.url),
    ...numbersOf(delivery, shown),
  }
}

export function shownAttempt(attempt: DeliveryAttempt, { text }: Shown): Record<string, unknown> {
  const { responseExcerpt, responseHeaders, ...rest } = presentAttempt(attempt)
  return text === true ? { ...rest, responseHeaders, responseExcerpt } : rest
}

export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : ''
}

export function shownNumber(number: string | null, { numbers }: Shown): string {
  if (number === null) return ''
  return numbers === true ? number : maskNumber(number)
}

function numbersOf(
  { fromNumber, toNumber }: { fromNumber: string | null; toNumber: string | null },
  shown: Shown,
) {
  const hidden = (number: string | null) => (number === null ? null : shownNumber(number, shown))
  return { fromNumber: hidden(fromNumber), toNumber: hidden(toNumber) }
}
