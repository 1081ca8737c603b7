import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'
import { listPhones, readPing } from './health.js'
import { readMessage, readMms } from './messages.js'
import { devicesPath, isPhone, listNumbers, settings, SLOTS, type Settings } from './phone.js'
import { setUpWebhooks } from './webhooks.js'

/** https://docs.sms-gate.app/features/webhooks/ */
const STATES: kit.StateTable = {
  'sms:sent': 'sent',
  // One event comes for each part of a long text, and does not say for which.
  'sms:delivered': 'delivered',
  'sms:failed': 'failed',
  'sms:cancelled': 'failed',
}

const CODES: Readonly<Record<string, string>> = { 'sms:cancelled': 'cancelled' }

/** The events that a phone sends us. Each needs a registration. */
const EVENTS = ['sms:received', 'mms:downloaded', 'system:ping', ...Object.keys(STATES)]

/** These events say nothing about a message, or are about one that comes once more with its content. */
const SILENT = ['app:started', 'mms:received']

export const smsgate: kit.Provider<Settings> = {
  kind: 'smsgate',
  title: 'SMS Gateway for Android',
  settings,
  // We identify a message by our own id, so if the phone knows the id, it may have accepted the message:
  // https://docs.sms-gate.app/faq/errors/
  codes: { statuses: { 409: 'unknown' } },
  credentialsHint: 'Copy the user name and the password from the app. Each of its servers has its own.',
  /** https://docs.sms-gate.app/integration/authentication/ */
  api: ({ username, password, apiUrl }) => ({
    url: apiUrl,
    headers: { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
  }),

  /** https://docs.sms-gate.app/features/sending-messages/ */
  send: (message, { settings: { deviceId, awayAfterHours, ...sims } }) => {
    const { id, from, to, text, expiresInMs } = message
    const slot = SLOTS.findIndex((each) => sims[each] === from)
    if (slot < 0 && SLOTS.some((each) => sims[each] !== '')) {
      throw new kit.CarrierUnavailable("No SIM card in this account has the line's number", {
        isOfLine: true,
      })
    }
    return {
      path: '/messages',
      // The app's own check refuses all numbers that are not mobile; we check numbers when a message is accepted.
      query: {
        skipPhoneValidation: 'true',
        ...(isPhone(sims.apiUrl) ? {} : { deviceActiveWithin: awayAfterHours }),
      },
      json: {
        id,
        textMessage: { text },
        phoneNumbers: [to],
        withDeliveryReport: true,
        simNumber: slot < 0 ? undefined : slot + 1,
        deviceId: deviceId || undefined,
        ttl: expiresInMs === undefined ? undefined : Math.max(5, Math.ceil(expiresInMs / 1000)),
      },
    }
  },
  id: ({ body }) => textAt(body, 'id'),
  refusal: ({ status, body }) => {
    const said = textAt(body, 'message')
    if (status < 400 || said === '') return undefined
    // The phone is away: too much is queued for it, or it has not been seen (faq/errors, as above).
    const isAway = /queue limits exceeded|device/i.test(said)
    return { said, ...(isAway ? { meaning: 'account' } : {}) }
  },

  test: ({ apiUrl }) => ({ path: devicesPath(apiUrl) }),
  listNumbers,
  listPhones,
  setUpNumbers: (_numbers, asking) => setUpWebhooks(asking, EVENTS),

  callbacks: {
    urls: { events: 'Webhook URL for each event' },
    hint: "X-Signature does not match. Check the account's signingKey, and the clocks on the phone and this machine",
    /** The signature is over the body directly followed by the time (features/webhooks, as above). */
    verify: ({ signingKey }, { body, header }) => {
      const time = header('X-Timestamp')
      const over = Buffer.concat([body, Buffer.from(time)])
      const given = header('X-Signature')
      return kit.verify.isFresh(time) && kit.verify.isHmac({ secret: signingKey, over, given })
    },
    read: (event, { settings: its }) => {
      const type = textAt(event, 'event')
      const payload = at(event, 'payload')
      if (SILENT.includes(type)) return kit.NOTHING
      if (type === 'system:ping') return readPing(event, its)
      if (type === 'sms:received') return readMessage(event, textAt(payload, 'message'), its)
      if (type === 'mms:downloaded') return readMms(event, its)
      if (kit.entryOf(STATES, type) === undefined) return kit.unclear(`an event of type "${type}"`)
      const [id, reason] = [textAt(payload, 'messageId'), textAt(payload, 'reason')]
      // It is Android's name for the failure, as in "Send result: RESULT_ERROR_NO_SERVICE (…)".
      const [code = ''] = /\bRESULT_[A-Z_]+|^[A-Z][A-Z_]+/.exec(reason) ?? [CODES[type]]
      return kit.receipt(STATES, { id, state: type, code, said: reason, messageId: id, isOfPart: true })
    },
    bringsMedia: true,
    // The phone treats a socket that is silent for five seconds as an error, and tries again for two days.
    waitMs: 4500,
  },
}
