/** What SMSGate takes as a message to send. https://docs.sms-gate.app/features/sending-messages/#api-request-structure */
import { isRecord, parseJson } from './server.js'
import type { ApiRequest } from './server.js'

const docs = 'https://docs.sms-gate.app/features/sending-messages/#api-request-structure'
/** The limits are in the server's OpenAPI description: https://api.sms-gate.app/docs/ */
const openApi = 'https://capcom6.github.io/android-sms-gateway/'

const fields = [
  ...['id', 'deviceId', 'message', 'textMessage', 'dataMessage', 'phoneNumbers', 'isEncrypted', 'simNumber'],
  ...['withDeliveryReport', 'priority', 'ttl', 'validUntil', 'scheduleAt'],
]

export interface CheckedMessage {
  id: string | undefined
  text: string | undefined
  data: { data: string; port: number } | undefined
  isEncrypted: boolean
  phoneNumbers: string[]
}

interface Context {
  isLocal: boolean
  deviceId: string
  violate(sentence: string, url: string): void
}

export function checkMessage(request: ApiRequest, context: Context): CheckedMessage | { refusal: string } {
  const fail = (refusal: string, sentence: string, url = docs): { refusal: string } => {
    context.violate(sentence, url)
    return { refusal }
  }
  if (request.contentType !== 'application/json') {
    return fail('failed to parse body: Unprocessable Entity', 'A message is sent as application/json.')
  }
  const body = parseJson(request.body.toString('utf8'))?.value
  if (!isRecord(body)) return fail('failed to parse body', 'A message is a JSON object.')
  for (const [key, value] of request.query) {
    const isKnown =
      (key === 'skipPhoneValidation' && /^(true|false)$/.test(value)) ||
      (key === 'deviceActiveWithin' && /^\d+$/.test(value) && !context.isLocal)
    if (!isKnown) return fail('failed to parse query', `There is no query parameter ${key}=${value}.`)
  }
  const unknown = Object.keys(body).find((key) => !fields.includes(key))
  if (unknown !== undefined) return fail('failed to validate', `A message has no field "${unknown}".`)
  const { id, deviceId, message, textMessage, dataMessage, phoneNumbers, simNumber, priority, ttl } = body
  const { withDeliveryReport, isEncrypted, validUntil, scheduleAt } = body
  const isSet = (value: unknown): boolean => value !== undefined && value !== null

  const contents = [message, textMessage, dataMessage].filter(isSet)
  if (contents.length !== 1) {
    const refusal = 'failed to validate: must specify exactly one of: textMessage or dataMessage'
    return fail(refusal, 'A message has one of textMessage, dataMessage and the deprecated message.')
  }
  const text = isSet(message) ? message : isRecord(textMessage) ? textMessage.text : undefined
  if (!isSet(dataMessage) && (typeof text !== 'string' || text === '' || Array.from(text).length > 65535)) {
    return fail('failed to validate: text', 'A text has 1 to 65535 characters.', openApi)
  }
  if (isRecord(textMessage) && Object.keys(textMessage).some((key) => key !== 'text')) {
    return fail('failed to validate', 'textMessage has no field but text.')
  }
  let data: CheckedMessage['data']
  if (isSet(dataMessage)) {
    const isRight =
      isRecord(dataMessage) &&
      typeof dataMessage.data === 'string' &&
      /^[A-Za-z0-9+/]+={0,2}$/.test(dataMessage.data) &&
      typeof dataMessage.port === 'number' &&
      dataMessage.port >= 1 &&
      dataMessage.port <= 65535
    if (!isRight) return fail('failed to validate: dataMessage', 'dataMessage has data in base64 and a port.')
    data = { data: String(dataMessage.data), port: Number(dataMessage.port) }
  }

  if (!Array.isArray(phoneNumbers) || phoneNumbers.length < 1 || phoneNumbers.length > 100) {
    return fail('failed to validate: phoneNumbers', 'phoneNumbers is a list of 1 to 100 numbers.', openApi)
  }
  const numbers: string[] = []
  const isUnchecked = isEncrypted === true || request.query.get('skipPhoneValidation') === 'true'
  for (const phoneNumber of phoneNumbers as unknown[]) {
    if (typeof phoneNumber !== 'string' || phoneNumber === '' || phoneNumber.length > 128) {
      return fail(
        'failed to validate: phoneNumbers',
        'A phone number is a string of 1 to 128 characters.',
        openApi,
      )
    }
    if (isUnchecked || /^\+[1-9]\d{6,14}$/.test(phoneNumber)) numbers.push(phoneNumber)
    // The server reads a number without + as a Russian one, as in the example of its OpenAPI description.
    else if (/^[78]\d{10}$/.test(phoneNumber)) numbers.push(`+7${phoneNumber.slice(1)}`)
    else {
      const sentence = `The phone number ${phoneNumber} is not E.164.`
      // The phone checks it only when it sends: the local server takes it.
      if (!context.isLocal) return fail('invalid phone number', sentence)
      context.violate(sentence, docs)
      numbers.push(phoneNumber)
    }
  }
  if (new Set(numbers).size !== numbers.length)
    return fail('phone numbers must be unique', 'A number came twice.')

  const wrong = (name: string, what: string): { refusal: string } =>
    fail(`failed to validate: ${name}`, `${name} is ${what}.`, openApi)
  const isInteger = (value: unknown, min: number, max: number): boolean =>
    !isSet(value) || (Number.isInteger(value) && Number(value) >= min && Number(value) <= max)
  const isDate = (value: unknown): boolean =>
    !isSet(value) ||
    (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)))
  const isFlag = (value: unknown): boolean => !isSet(value) || typeof value === 'boolean'
  if (isSet(id) && (typeof id !== 'string' || id.length > 36))
    return wrong('id', 'a string of up to 36 characters')
  if (!isInteger(simNumber, 1, 3)) return wrong('simNumber', 'an integer from 1 to 3')
  if (!isInteger(priority, -128, 127)) return wrong('priority', 'an integer from -128 to 127')
  if (!isInteger(ttl, 5, Number.MAX_SAFE_INTEGER)) return wrong('ttl', 'a number of seconds, at least 5')
  if (!isDate(validUntil)) return wrong('validUntil', 'an RFC 3339 time')
  if (!isDate(scheduleAt)) return wrong('scheduleAt', 'an RFC 3339 time')
  if (!isFlag(withDeliveryReport)) return wrong('withDeliveryReport', 'a boolean')
  if (!isFlag(isEncrypted)) return wrong('isEncrypted', 'a boolean')
  if (isSet(ttl) && isSet(validUntil)) return wrong('ttl', 'not given together with validUntil')
  if (isSet(scheduleAt) && Date.parse(String(scheduleAt)) <= Date.now())
    return wrong('scheduleAt', 'in the future')
  if (isSet(deviceId) && deviceId !== context.deviceId) {
    return fail(
      context.isLocal ? 'Invalid device ID' : 'device not found',
      `There is no device ${String(deviceId)}.`,
    )
  }
  return {
    id: typeof id === 'string' && id !== '' ? id : undefined,
    text: typeof text === 'string' ? text : undefined,
    data,
    isEncrypted: isEncrypted === true,
    phoneNumbers: numbers,
  }
}
