import type { Application } from '../../database/applications.js'
import type { ApplicationDelivery } from '../../database/deliveries/of-application.js'
import type { Delivery, DeliveryAttempt } from '../../database/deliveries/reading.js'
import type { OwnLine } from '../../database/lines.js'
import type { MessageMedia } from '../../database/media/reading.js'
import type { Message } from '../../database/messages/reading.js'
import type { Context } from '../../domain/context.js'
import { hostedUrl } from '../../domain/media/hosting.js'
import { cutIntoSegments } from '../../segments.js'
import type { Vocabulary } from '../../vocabulary.js'

/** What /v1 shows of things: named fields only, so that a new column is nobody's answer by accident. */

export function presentLine(line: OwnLine) {
  return {
    id: line.id,
    name: line.name,
    phoneNumber: line.number,
    status: line.status,
    isConnected: line.isConnected,
    messagesPerNumberPerMinute: line.messagesPerNumberPerMinute,
    messagesPerMinute: line.messagesPerMinute,
    lastActivityAt: line.lastActivityAt,
  }
}

export function presentMessage(context: Context, message: Message) {
  const { idField } = context.vocabulary
  const segments = message.text === null ? undefined : cutIntoSegments(message.text)
  return {
    id: message.id,
    [idField]: message.lineId,
    direction: message.direction,
    source: message.source,
    applicationId: message.applicationId,
    type: message.type,
    fromNumber: message.fromNumber,
    toNumber: message.toNumber,
    text: message.text,
    encoding: segments?.encoding ?? null,
    segmentCount: segments?.parts.length ?? null,
    mediaUrl: message.mediaUrl,
    media: message.media && presentMedia(context, message.media),
    status: message.status,
    error: message.error,
    carrierCode: message.carrierCode,
    attemptCount: message.attemptCount,
    carrierMessageId: message.carrierMessageId,
    againOf: message.againOf,
    createdAt: message.createdAt,
    sentAt: message.sentAt,
    receiptAt: message.receiptAt,
  }
}

function presentMedia(context: Context, media: MessageMedia) {
  const isThere = media.status === 'stored' && !media.isRemoved
  return {
    status: media.status,
    failure: media.failure,
    contentType: media.contentType,
    byteCount: media.byteCount,
    width: media.width,
    height: media.height,
    url: isThere ? hostedUrl(context, media.token) : null,
  }
}

export function presentDelivery({ idField }: Vocabulary, delivery: Delivery) {
  return {
    id: delivery.id,
    [idField]: delivery.lineId,
    eventId: delivery.eventId,
    messageId: delivery.messageId,
    applicationId: delivery.applicationId,
    url: delivery.url,
    type: delivery.type,
    fromNumber: delivery.fromNumber,
    toNumber: delivery.toNumber,
    status: delivery.status,
    attemptCount: delivery.attemptCount,
    lastFailure: delivery.lastFailure,
    createdAt: delivery.createdAt,
    dueAt: delivery.dueAt,
    deliveredAt: delivery.deliveredAt,
  }
}

export function presentAttempt(attempt: DeliveryAttempt) {
  return {
    attemptNumber: attempt.attemptNumber,
    startedAt: attempt.startedAt,
    durationMs: attempt.durationMs,
    responseStatus: attempt.responseStatus,
    responseExcerpt: attempt.responseExcerpt,
    failure: attempt.failure,
    nextAttemptAt: attempt.nextAttemptAt,
  }
}

/** Without its secrets. */
export function presentApplication(application: Application) {
  return {
    id: application.id,
    clientId: application.clientId,
    kind: application.kind,
    name: application.name,
    description: application.description,
    website: application.website,
    redirectUris: application.redirectUris,
    webhookUrl: application.webhookUrl,
    optInEvents: application.optInEvents,
    endpoint:
      application.endpointId === null
        ? null
        : {
            failingSince: application.endpointFailingSince,
            consecutiveFailureCount: application.endpointFailureCount,
            disabledAt: application.endpointDisabledAt,
            disabledReason: application.endpointDisabledReason,
            previousSecretUntil: application.previousSecretUntil,
          },
    createdAt: application.createdAt,
  }
}

export function presentApplicationDelivery({ idField }: Vocabulary, delivery: ApplicationDelivery) {
  return {
    id: delivery.id,
    [idField]: delivery.lineId,
    eventId: delivery.eventId,
    type: delivery.type,
    status: delivery.status,
    attemptCount: delivery.attemptCount,
    lastFailure: delivery.lastFailure,
    createdAt: delivery.createdAt,
    dueAt: delivery.dueAt,
    deliveredAt: delivery.deliveredAt,
  }
}
