import * as yup from 'yup'
import * as kit from './kit.js'
import { at, textAt } from './kit.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  apiKey: kit.setting.secret(
    'The API key of the One API integration. Find it in the Clickatell portal under API.',
  ),
  apiUrl: kit.setting.apiUrl('https://platform.clickatell.com'),
  callbackKey: kit.setting.callbackKey(),
})

/**
 * Errors of requests have numbers (https://docs.clickatell.com/channels/one-api/one-api-errors-table/), and states of
 * messages have others, which overlap with these. So the code of a state is its name.
 */
const CODES: kit.CodeTable = {
  // These are about the key, the integration and its channel, the credit, the address that we call from, and senders
  // that the integration does not have.
  account: ['1', '2', '3', '7', '20', '38', '39', '44', '45', '46'],
  // According to the table its status is 400.
  throttled: ['43'],
  opted_out: ['26'],
  unknown: ['18', '19'],
  words: {
    EXPIRED: 'it was not delivered in time',
    STOPPED_BY_USER: 'it was stopped through the API',
    STOPPED_BY_ADMIN: 'Clickatell stopped it',
    DELIVERY_FAILURE: 'it could not be delivered',
    INSUFFICIENT_ACCOUNT_BALANCE: 'the account has no credit',
    RECIPIENT_DOES_NOT_EXIST: 'the recipient does not exist',
    ROUTING_ERROR: 'no route to the recipient',
  },
}

/** https://docs.clickatell.com/channels/one-api/one-api-message-status-table/ */
const STATES: kit.StateTable = {
  UNKNOWN: 'nothing',
  QUEUED: 'nothing',
  SCHEDULED: 'nothing',
  SENT_TO_SUPPLIER: 'sent',
  // This is a state of the sandbox, which sends nothing.
  EMULATED: 'sent',
  DEVICE_ACK: 'delivered',
  READ: 'delivered',
}

/** All lower numbers are states that are not failures; every other state is one. */
const FAILED_FROM = 20
const EMULATED = 24

export const clickatell: kit.Provider<Settings> = {
  kind: 'clickatell',
  title: 'Clickatell',
  settings,
  numbers: 'plain',
  codes: CODES,
  credentialsHint:
    "Copy the integration's API key from the Clickatell portal, and check that the integration is active.",
  // The header has only the key: https://docs.clickatell.com/channels/one-api/one-api-reference/
  api: ({ apiKey, apiUrl }) => ({ url: apiUrl, headers: { Authorization: apiKey } }),

  /** https://docs.clickatell.com/channels/one-api/one-api-reference/ */
  send: (message) => {
    const { id, from, to, text } = message
    return {
      path: '/v1/message',
      json: { messages: [{ channel: 'sms', to, from, content: text, clientMessageId: id }] },
    }
  },
  id: ({ body }) => textAt(body, 'messages.0.apiMessageId'),
  // If only some of a list were accepted, the status is 207, and only `accepted` says which.
  refusal: ({ body }) =>
    faultAt(body, 'messages.0.error') ??
    faultAt(body, 'error') ??
    (textAt(body, 'messages.0.accepted') === 'false' ? {} : undefined),

  test: () => ({ path: '/v1/balance' }),

  callbacks: {
    urls: { events: 'Reply callback and status callback of the integration' },
    hint: 'the key in the URL does not match. Enter the URL shown for this account at Clickatell',
    key: ({ callbackKey }) => callbackKey,
    /** An event has lists by their kinds: https://help.clickatell.com/developers-api-reference/reference/one-api-client-callbacks */
    items: ({ fields }) => {
      const event = at(fields, 'event')
      return kit.isRecord(event)
        ? Object.keys(event).flatMap((kind) => kit.listAt(event, kind).map((item) => ({ kind, item })))
        : undefined
    },
    read: (each) => {
      const [kind, item] = [textAt(each, 'kind'), at(each, 'item')]
      if (kind === 'moText') return readMessage(item)
      return kind === 'messageStatusUpdate' ? readReport(item) : kit.unclear(`an event of kind "${kind}"`)
    },
  },
}

function faultAt(body: unknown, path: string): kit.Refusal | undefined {
  const [code, said] = [textAt(body, `${path}.code`), textAt(body, `${path}.description`)]
  return code === '' && said === '' ? undefined : { code, said }
}

function readMessage(item: unknown): kit.CallbackItem {
  const channel = textAt(item, 'channel')
  if (channel !== 'sms') return kit.unclear(`a message from channel "${channel}"`)
  return kit.message({
    id: textAt(item, 'messageId'),
    from: textAt(item, 'from'),
    to: textAt(item, 'to'),
    text: textAt(item, 'content'),
  })
}

function readReport(item: unknown): kit.CallbackItem {
  const [number, name] = [Number(textAt(item, 'statusCode')), textAt(item, 'status')]
  const isFailed = number >= FAILED_FROM && number !== EMULATED
  return kit.receipt(isFailed ? { [name]: 'failed' } : STATES, {
    id: textAt(item, 'messageId'),
    state: name,
    code: name,
    messageId: textAt(item, 'clientMessageId') || undefined,
  })
}
