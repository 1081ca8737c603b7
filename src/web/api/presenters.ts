import { APPLICATION_FIELDS, type Application } from '../../database/applications/application.js'
import {
  APPLICATION_DELIVERY_FIELDS,
  ATTEMPT_FIELDS,
  DELIVERY_FIELDS,
  type ApplicationDelivery,
  type Delivery,
  type DeliveryAttempt,
} from '../../database/endpoints/deliveries/delivery.js'
import { ENDPOINT_FIELDS, type Endpoint } from '../../database/endpoints/endpoints.js'
import type { OwnLine } from '../../database/lines/lines.js'
import type { MessageMedia } from '../../database/media/reading.js'
import { explainCarrierCode } from '../../carriers/codes.js'
import { sizeOf } from '../../domain/messages/segments.js'
import { MESSAGE_FIELDS, type Message } from '../../database/messages/message.js'
import { TASK_FIELDS } from '../../database/operating/tasks.js'
import type { Context } from '../../domain/context.js'
import type { Task } from '../../domain/operating/tasks.js'
import { hostedUrl } from '../../domain/media/hosting.js'
import { pauseOf } from '../../domain/operating/pauses.js'
import { senderKindOf } from '../../kit/text/sender-kind.js'
import { present } from '../../shape.js'

/**
 * How /v1 presents things. Only named fields are shown, so that a new column does not get into a response by accident.
 */

export function presentLine(line: OwnLine) {
  const pause = pauseOf(line)
  return {
    id: line.id,
    name: line.name,
    phoneNumber: line.number,
    senderKind: senderKindOf(line.number),
    status: line.status,
    isConnected: line.isConnected,
    messagesPerNumberPerMinute: line.messagesPerNumberPerMinute,
    messagesPerMinute: line.messagesPerMinute,
    allowedCountries: line.allowedCountries,
    pausedAt: pause?.since ?? null,
    pausedBy: pause?.by ?? null,
    pausedCountries: line.pausedCountries ?? [],
    lastActivityAt: line.lastActivityAt,
  }
}

export function presentMessage(context: Context, message: Message) {
  const size = sizeOf(message)
  return context.vocabulary.fields(
    present(MESSAGE_FIELDS, message, {
      encoding: size?.encoding ?? null,
      segmentCount: size?.segmentCount ?? null,
      media: message.media.map((each) => presentMedia(context, each)),
      carrierCodeMeaning: explainCarrierCode(message.carrierKind, message.carrierCode, message.carrierReason),
    }),
  )
}

function presentMedia(context: Context, media: MessageMedia) {
  const { status, failure, contentType, byteCount, width, height } = media
  const url = status === 'stored' && !media.isRemoved ? hostedUrl(context, media.token) : null
  return { status, failure, contentType, byteCount, width, height, url }
}

export function presentDelivery({ vocabulary }: Context, delivery: Delivery) {
  return vocabulary.fields(present(DELIVERY_FIELDS, delivery))
}

export function presentAttempt(attempt: DeliveryAttempt) {
  return present(ATTEMPT_FIELDS, attempt)
}

/** An endpoint without its secret. */
export function presentEndpoint({ vocabulary }: Context, endpoint: Endpoint) {
  const { userId, pausedAt, pausedByUser } = endpoint
  const pausedBy = pauseOf({ userId, pausedAt, pausedBy: pausedByUser })?.by ?? null
  return vocabulary.fields(present(ENDPOINT_FIELDS, endpoint, { pausedBy }))
}

/** An application without its secrets. */
export function presentApplication(application: Application) {
  return present(APPLICATION_FIELDS, application, {
    endpoint:
      application.endpointId === null
        ? null
        : {
            id: application.endpointId,
            failingSince: application.endpointFailingSince,
            consecutiveFailureCount: application.endpointFailureCount,
            disabledAt: application.endpointDisabledAt,
            disabledReason: application.endpointDisabledReason,
            pausedAt: application.endpointPausedAt,
            previousSecretUntil: application.previousSecretUntil,
          },
  })
}

export function presentApplicationDelivery({ vocabulary }: Context, delivery: ApplicationDelivery) {
  return vocabulary.fields(present(APPLICATION_DELIVERY_FIELDS, delivery))
}

export function presentTask({ vocabulary }: Context, task: Task) {
  return vocabulary.fields(present(TASK_FIELDS, task))
}
