import * as yup from 'yup'
import * as kit from './kit.js'
import { textAt } from './kit.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  username: kit.setting.needed(
    "The name of the app. Find it in the Africa's Talking dashboard under Settings. In the sandbox, it is always sandbox.",
  ),
  apiKey: kit.setting.secret(
    "The API key. Find it in the Africa's Talking dashboard under Settings, API Key. A new key takes a few minutes to work.",
  ),
  callbackKey: kit.setting.callbackKey(),
  apiUrl: kit.setting.optional(
    'The URL of the API. Leave empty to use the sandbox for the user sandbox, and the live API for all others.',
  ),
})

/**
 * The status codes of recipients are at https://developers.africastalking.com/docs/sms/sending/bulk and the reasons
 * of reports at https://developers.africastalking.com/docs/sms/notifications
 */
const CODES: kit.CodeTable = {
  // These are about an unregistered sender, and about credit.
  account: ['402', 'InvalidSenderId', '405', 'InsufficientBalance'],
  // The gateway may have passed these on.
  unknown: ['500', 'InternalServerError', '501', 'GatewayError'],
  opted_out: ['406', 'UserInBlacklist', 'UserInBlackList'],
  rejected: ['401', '403', '404', '407', '409', '502'],
  words: {
    InsufficientCredit: 'The subscriber does not have enough credit',
    InvalidLinkId: 'The message needs a linkId',
    UserIsInactive: 'The subscriber is inactive, or the number is not in use',
    UserInBlackList: 'The recipient does not accept messages from this sender',
    UserAccountSuspended: 'The operator has suspended the subscriber',
    NotNetworkSubcriber: 'The recipient is not a customer of this operator',
    UserNotSubscribedToProduct: 'The recipient has not subscribed to this service',
    UserDoesNotExist: 'The number does not exist',
    DeliveryFailure: 'The operator could not deliver the message',
    DoNotDisturbRejection: 'The recipient is on the do-not-disturb list',
  },
}

/** https://developers.africastalking.com/docs/sms/notifications */
const STATES: kit.StateTable = {
  Sent: 'sent',
  Submitted: 'sent',
  Buffered: 'sent',
  Success: 'delivered',
  Rejected: 'failed',
  Failed: 'failed',
  AbsentSubscriber: 'failed',
  Expired: 'failed',
}

/** These are processed, sent and queued (bulk, as above). */
const TAKEN: readonly string[] = ['100', '101', '102']

export const africastalking: kit.Provider<Settings> = {
  kind: 'africastalking',
  title: "Africa's Talking",
  settings,
  codes: CODES,
  credentialsHint:
    'Copy the user name and the API key from the same app in the dashboard. Sandbox and live credentials differ.',
  api: ({ username, apiKey, apiUrl }) => ({
    url: apiUrl === '' ? `https://api.${username === 'sandbox' ? 'sandbox.' : ''}africastalking.com` : apiUrl,
    headers: { apiKey },
  }),

  /**
   * http://docs.africastalking.com/sms/sending/nodejs: the form API, which the sandbox has too; the JSON API exists
   * only live. Without `enqueue`, the response comes only after the operators have responded.
   */
  send: (message, { settings: { username } }) => {
    const { from, to, text } = message
    return { path: '/version1/messaging', form: { username, to, from, message: text, enqueue: '1' } }
  },
  id: ({ body }) => idOf(textAt(body, `${RECIPIENT}.messageId`)),
  /** The currency precedes the amount (bulk, as above). */
  charge: ({ body }) => {
    const [currency = '', price = ''] = textAt(body, `${RECIPIENT}.cost`).split(' ')
    return kit.readCharge({ price, currency, segments: textAt(body, `${RECIPIENT}.messageParts`) })
  },
  /**
   * A refused recipient is reported in a successful response (bulk, as above). A refused sender is reported in
   * `Message` there, with no recipient at all: https://github.com/AfricasTalkingLtd/africastalking-node.js/issues/160.
   * Other errors are plain text.
   */
  refusal: ({ body, status, text }) => {
    const code = textAt(body, `${RECIPIENT}.statusCode`)
    if (TAKEN.includes(code)) return undefined
    if (code !== '') return { code, said: textAt(body, `${RECIPIENT}.status`) }
    const said = textAt(body, 'SMSMessageData.Message')
    const hasNobody = Array.isArray(kit.at(body, 'SMSMessageData.Recipients'))
    if (said !== '' || hasNobody) return { code: /^\w+$/.test(said) ? said : '', said }
    return status >= 400 && body === undefined ? { said: text } : undefined
  },

  test: ({ username }) => ({ path: '/version1/user', query: { username } }),

  /**
   * Nothing is signed (notifications, as above), so the secret is in the URLs. The form has the fields of a message, of a
   * report, or of somebody who wants no more texts of a name.
   */
  callbacks: {
    urls: {
      message: 'SMS callback URL for incoming messages',
      status: 'SMS callback URL for delivery reports',
      'opt-out': 'SMS callback URL for opt-outs',
    },
    hint: 'the URL does not contain the secret. Copy it from the account to SMS Callback URLs in the dashboard',
    key: ({ callbackKey }) => callbackKey,
    read: (fields, { name }) => {
      if (name === 'opt-out')
        return kit.optOut({ from: textAt(fields, 'phoneNumber'), to: textAt(fields, 'senderId') })
      const id = idOf(textAt(fields, 'id'))
      if (name === 'message') {
        const [from, to] = [textAt(fields, 'from'), textAt(fields, 'to')]
        return kit.message({ id, from, to, text: textAt(fields, 'text') })
      }
      const state = textAt(fields, 'status')
      // Only rejected and failed messages have a reason.
      const code = textAt(fields, 'failureReason') || state
      return kit.receipt(STATES, { id, state, code })
    },
  },
}

const RECIPIENT = 'SMSMessageData.Recipients.0'

/** A message that was not taken has the id "None". */
function idOf(written: string): string {
  return written === 'None' ? '' : written
}
