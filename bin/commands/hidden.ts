import type { DeliveryAttempt } from '../../src/database/endpoints/deliveries/delivery.js'
import type { Delivery } from '../../src/database/endpoints/deliveries/delivery.js'
import type { Message } from '../../src/database/messages/message.js'
import type { Context } from '../../src/domain/context.js'
import { presentAttempt, presentDelivery, presentMessage } from '../../src/web/api/presenters.js'
import { maskNumber } from '../terminal.js'

/**
 * The options for showing other people's messages to an operator: by default neither whole numbers nor texts are
 * shown.
 */
export interface Shown {
  numbers?: boolean
  text?: boolean
}

/** Returns the message as /v1 shows it, without what is hidden. A text is replaced by its length. */
export function shownMessage(context: Context, message: Message, shown: Shown): Record<string, unknown> {
  const { text, mediaUrl, mediaUrls, media, ...rest } = presentMessage(context, message)
  const content =
    shown.text === true
      ? { text, mediaUrl, mediaUrls, media }
      : {
          textLength: message.text?.length ?? null,
          media: (media as object[]).map((each) => ({ ...each, url: undefined })),
        }
  return { ...rest, ...numbersOf(message, shown), ...content }
}

/** Returns the delivery as /v1 shows it, but with only the origin of the URL: people put secrets into the path. */
export function shownDelivery(context: Context, delivery: Delivery, shown: Shown): Record<string, unknown> {
  return {
    ...presentDelivery(context, delivery),
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
