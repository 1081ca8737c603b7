import { fieldFaults, isRecord } from './server.js'
import type { FieldType } from './server.js'

export interface Status {
  groupId: number
  groupName: string
  id: number
  name: string
  description: string
}

// The names, numbers and groups: https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes
export const status = (
  groupId: number,
  groupName: string,
  id: number,
  name: string,
  description: string,
): Status => ({
  groupId,
  groupName,
  id,
  name,
  description,
})
export const accepted = status(1, 'PENDING', 26, 'PENDING_ACCEPTED', 'Message sent to next instance')
const rejected = (id: number, name: string, description: string): Status =>
  status(5, 'REJECTED', id, name, description)
export const rejections = {
  network: rejected(6, 'REJECTED_NETWORK', 'Network is forbidden'),
  source: rejected(11, 'REJECTED_SOURCE', 'Invalid Source address'),
  credit: rejected(12, 'REJECTED_NOT_ENOUGH_CREDITS', 'Not enough credits'),
  blocklisted: rejected(14, 'REJECTED_DESTINATION_BLOCKLISTED', 'Destination is blocklisted'),
  duplicate: rejected(23, 'REJECTED_DUPLICATE_MESSAGE_ID', 'Duplicate message ID'),
  tooLong: rejected(25, 'REJECTED_MESSAGE_TOO_LONG', 'Message is too long'),
  missingTo: rejected(51, 'MISSING_TO', 'Missing destination'),
  destination: rejected(52, 'REJECTED_DESTINATION', 'Invalid destination address'),
}

/** Some of the error codes of a report: id → group, name, whether permanent. */
export const errors: Record<string, [groupId: number, groupName: string, name: string, permanent: boolean]> =
  {
    0: [0, 'OK', 'NO_ERROR', false],
    1: [1, 'HANDSET_ERRORS', 'EC_UNKNOWN_SUBSCRIBER', true],
    6: [1, 'HANDSET_ERRORS', 'EC_ABSENT_SUBSCRIBER_SM', false],
    351: [2, 'USER_ERRORS', 'EC_INVALID_DESTINATION_ADDRESS', false],
    603: [2, 'USER_ERRORS', 'EC_CONTENT_BLOCKED', true],
    607: [2, 'USER_ERRORS', 'EC_REJECTED_SPAM_BY_OPERATOR', true],
    2052: [2, 'USER_ERRORS', 'EC_BLACKLISTED_DESTINATIONADDRESS', true],
    561: [3, 'OPERATOR_ERRORS', 'EC_CONTENT_BLOCKED_BY_OPERATOR', true],
  }

const messageFields = {
  sender: 'string',
  destinations: 'array',
  content: 'object',
  options: 'object',
  webhooks: 'object',
} as const
const contentFields = { text: 'string', transliteration: 'string', language: 'object' } as const
const destinationFields = { to: 'string', messageId: 'string', networkId: 'integer' } as const
const webhookFields = { delivery: 'object', contentType: 'string', callbackData: 'string' } as const
const deliveryFields = { url: 'string', intermediateReport: 'boolean', notify: 'boolean' } as const
const messageOptionFields = {
  platform: 'object',
  validityPeriod: 'object',
  deliveryTimeWindow: 'object',
  campaignReferenceId: 'string',
  regional: 'object',
  flash: 'boolean',
} as const
const requestOptionFields = {
  schedule: 'object',
  tracking: 'object',
  includeSmsCountInResponse: 'boolean',
  conversionTracking: 'object',
} as const
const version2Fields = {
  ...{
    callbackData: 'string',
    deliveryTimeWindow: 'object',
    destinations: 'array',
    flash: 'boolean',
    from: 'string',
  },
  ...{ intermediateReport: 'boolean', language: 'object', notifyContentType: 'string', notifyUrl: 'string' },
  ...{
    regional: 'object',
    sendAt: 'string',
    text: 'string',
    transliteration: 'string',
    validityPeriod: 'object',
  },
  ...{ entityId: 'string', applicationId: 'string', campaignReferenceId: 'string' },
} satisfies Record<string, FieldType>

/** Of the SMS API, or the MMS API, which has one. */
export type Version = 2 | 3 | 'mms'

export interface Fault {
  property: string
  fault: string
}

function messageFaults(message: unknown, path: string, version: 2 | 3): Fault[] {
  if (!isRecord(message)) return [{ property: path, fault: `${path} must be of type object` }]
  const faults =
    version === 3
      ? fieldFaults(message, messageFields, ['destinations', 'content'], `${path}.`)
      : fieldFaults(message, version2Fields, ['destinations'], `${path}.`)
  const inner = (name: string, fields: Record<string, FieldType>, required: string[] = []): void => {
    const value = message[name]
    if (isRecord(value)) faults.push(...fieldFaults(value, fields, required, `${path}.${name}.`))
  }
  if (version === 3) {
    inner('content', contentFields, ['text'])
    inner('options', messageOptionFields)
    inner('webhooks', webhookFields)
    const delivery = isRecord(message.webhooks) ? message.webhooks.delivery : undefined
    if (isRecord(delivery))
      faults.push(...fieldFaults(delivery, deliveryFields, [], `${path}.webhooks.delivery.`))
    const data = isRecord(message.webhooks) ? message.webhooks.callbackData : undefined
    if (typeof data === 'string' && data.length > 4000)
      faults.push({
        property: `${path}.webhooks.callbackData`,
        fault: 'callbackData has at most 4000 characters',
      })
  }
  const sender = version === 3 ? message.sender : message.from
  // From memory: an alphanumeric sender has 3 to 11 characters.
  if (typeof sender === 'string' && !/^(\+?\d{3,16}|(?=.*[^\d])[^+].{2,10})$/.test(sender))
    faults.push({ property: `${path}.sender`, fault: `no such sender is possible: ${sender}` })
  const destinations = Array.isArray(message.destinations) ? (message.destinations as unknown[]) : []
  if (destinations.length === 0)
    faults.push({ property: `${path}.destinations`, fault: 'destinations is empty' })
  for (const destination of destinations) {
    if (!isRecord(destination))
      faults.push({ property: `${path}.destinations`, fault: 'a destination is an object' })
    else {
      faults.push(...fieldFaults(destination, destinationFields, ['to'], `${path}.destinations[].`))
      if (typeof destination.to === 'string' && destination.to.length > 64)
        faults.push({ property: `${path}.destinations[].to`, fault: 'to has at most 64 characters' })
      if (typeof destination.messageId === 'string' && destination.messageId.length > 200)
        faults.push({
          property: `${path}.destinations[].messageId`,
          fault: 'messageId has at most 200 characters',
        })
    }
  }
  return faults
}

export function bodyFaults(body: Record<string, unknown>, version: 2 | 3): Fault[] {
  const faults =
    version === 3
      ? fieldFaults(body, { messages: 'array', options: 'object' }, ['messages'])
      : fieldFaults(
          body,
          {
            // The official npm package sends its own `type` along.
            type: 'string',
            bulkId: 'string',
            messages: 'array',
            sendingSpeedLimit: 'object',
            urlOptions: 'object',
            tracking: 'object',
            includeSmsCountInResponse: 'boolean',
          },
          ['messages'],
        )
  if (isRecord(body.options)) faults.push(...fieldFaults(body.options, requestOptionFields, [], 'options.'))
  const messages = Array.isArray(body.messages) ? (body.messages as unknown[]) : []
  if (messages.length === 0) faults.push({ property: 'messages', fault: 'messages is empty' })
  messages.forEach((message, index) => faults.push(...messageFaults(message, `messages[${index}]`, version)))
  return faults
}

const segmentFields: Record<string, { fields: Record<string, FieldType>; required: string[] }> = {
  TEXT: { fields: { type: 'string', contentId: 'string', text: 'string' }, required: ['text'] },
  LINK: {
    fields: { type: 'string', contentId: 'string', contentType: 'string', contentUrl: 'string' },
    required: ['contentUrl'],
  },
}

/** https://www.infobip.com/docs/api/channels/mms/send-mms-messages; segments of other types are not part of this stand-in. */
export function mmsFaults(body: Record<string, unknown>): Fault[] {
  const faults = fieldFaults(body, { messages: 'array', options: 'object' }, ['messages'])
  for (const message of Array.isArray(body.messages) ? (body.messages as unknown[]) : []) {
    if (!isRecord(message)) continue
    faults.push(...fieldFaults(message, messageFields, ['destinations', 'content'], 'messages[].'))
    const content = isRecord(message.content) ? message.content : {}
    faults.push(...fieldFaults(content, { title: 'string', messageSegments: 'array' }, ['messageSegments']))
    for (const segment of (content.messageSegments ?? []) as Record<string, unknown>[]) {
      const known = segmentFields[String(segment.type)]
      if (known === undefined) faults.push({ property: 'type', fault: `no segment ${String(segment.type)}` })
      else faults.push(...fieldFaults(segment, known.fields, known.required, 'messageSegments[].'))
    }
  }
  return faults
}
