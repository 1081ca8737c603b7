import type { AccountEventType, NoticeDetails } from '../../../event-types.js'
import { inUtc } from '../../../kit/text/moments.js'
import { countryName } from '../../messages/country-guard.js'
import { countOf, describeMs } from '../overview/figures.js'
import { failureDoes } from '../causes.js'
import type { Cure } from '../overview/cure.js'

export type EndpointDetails = NoticeDetails<'endpoint.failing'>

interface Words<Details> {
  /** `good` means that a problem is over. */
  mood: 'bad' | 'waiting' | 'good'
  /** The event in one line, which is the subject of the mail. */
  title: (details: Details) => string
  /** The meaning and the next step, in a sentence or two. */
  text: (details: Details) => string
  /** The page where it can be fixed, or viewed. */
  cure: (details: Details) => Cure
}

// Its page shows the reason of the failure, and lets people enable it and send the held events.
const atEndpoint = ({ userId, endpointId }: EndpointDetails): Cure => ({ at: 'endpoint', userId, endpointId })
const atCarrier = ({ accountId }: { accountId: string }): Cure => ({ at: 'carrier', id: accountId })
const atAccount = ({ userId }: { userId: string }): Cure => ({ at: 'second factor', userId })
const atQueues = (): Cure => ({ at: 'queues' })
const ofCap = ({ userId, lineId }: { userId: string; lineId: string | null }): Cure =>
  lineId === null ? { at: 'user', userId, own: 'usage' } : { at: 'line', userId, lineId }

/**
 * The words of all notifications, for the console, the mails and the events of operational webhooks. The time and the
 * receivers of each are with the other types of events (`src/event-types.ts`).
 */
export const NOTICE_KINDS: { [Type in AccountEventType]: Words<NoticeDetails<Type>> } = {
  'endpoint.failing': {
    mood: 'waiting',
    title: (endpoint) =>
      // A notification of the previous release has no reason.
      `${endpointOf(endpoint)} ${endpoint.lastFailure == null ? 'fails' : failureDoes(endpoint.lastFailure)[0]}`,
    text: ({ failureCount, failingForMs }) =>
      `The last ${countOf(failureCount, 'request')} failed` +
      `${failingForMs === null ? '' : ` over ${describeMs(failingForMs)}`}. Events are retried automatically. ` +
      "After 5 days without a success the endpoint is disabled and its events are held. Check your server's log.",
    cure: atEndpoint,
  },
  'endpoint.disabled': {
    mood: 'bad',
    title: (endpoint) => `${endpointOf(endpoint)} is disabled`,
    text: ({ reason }) =>
      (reason === 'gone' ? 'It returned 410 Gone.' : 'It failed for 5 days without a success.') +
      ' Events are held, not lost. Fix the server, enable the endpoint, then send the held events.',
    cure: atEndpoint,
  },
  'endpoint.recovered': {
    mood: 'good',
    title: (endpoint) => `${endpointOf(endpoint)} has recovered`,
    text: () =>
      'It accepted the last event. If it was disabled, the events held in the meantime are not sent automatically: send them from its page.',
    cure: atEndpoint,
  },
  'messages.unknown': {
    mood: 'waiting',
    title: ({ count }) => `${countOf(count, 'message has', 'messages have')} an unknown outcome`,
    text: ({ count }) =>
      count === 1
        ? 'The carrier may have sent it, so it is not retried automatically. Check whether it arrived before resending.'
        : 'The carrier may have sent them, so they are not retried automatically. Check which ones arrived and resend the others.',
    cure: ({ userId }) => ({ at: 'unknown messages', userId }),
  },
  'cap.near': {
    mood: 'waiting',
    title: ({ lineName, segmentsPerDay, used }) =>
      `Daily segment cap ${used < segmentsPerDay ? 'at 80%' : 'reached'}: ${lineName === null ? 'all lines combined' : isolated(lineName)}`,
    text: ({ segmentsPerDay, used }) =>
      `${used} of ${countOf(segmentsPerDay, 'segment')} used today. At the cap, messages are refused with 429 until ` +
      'midnight UTC. If this traffic is expected, ask an operator for a higher cap.',
    cure: ofCap,
  },
  'monthly_cap.near': {
    mood: 'waiting',
    title: ({ lineName, amount, spent }) =>
      `Monthly spending cap ${Number(spent) < Number(amount) ? 'at 80%' : 'reached'}: ${lineName === null ? 'all lines combined' : isolated(lineName)}`,
    text: ({ amount, currency, spent }) =>
      `${spent} of ${amount} ${currency} spent this month. At the cap, messages are refused with 429 until the first of ` +
      'next month (UTC). If this traffic is expected, ask an operator for a higher cap.',
    cure: ofCap,
  },
  'country.paused': {
    mood: 'bad',
    title: ({ country }) => `Messages to ${countryName(country)} are refused`,
    text: ({ accepted, usual }) =>
      `${accepted} messages were accepted in one hour. The previous 30-day peak was ${usual}. If these messages are not ` +
      'yours, regenerate your incoming webhooks and revoke your API tokens. If they are, ask an operator to resume them.',
    cure: ({ userId }) => ({ at: 'user', userId, own: 'settings' }),
  },
  'carrier.down': {
    mood: 'bad',
    title: ({ name }) => `The carrier account ${isolated(name)} is down`,
    text: ({ state }) =>
      `Status: ${state}. Messages from its lines wait, and are sent in order once it recovers. Check the account.`,
    cure: atCarrier,
  },
  'carrier.recovered': {
    mood: 'good',
    title: ({ name }) => `The carrier account ${isolated(name)} has recovered`,
    text: () => 'Waiting messages are being sent.',
    cure: atCarrier,
  },
  'phone.away': {
    mood: 'bad',
    title: ({ name, awayCount }) =>
      awayCount === 1
        ? `The phone of the carrier account ${isolated(name)} is offline`
        : `${countOf(awayCount, 'phone')} of the carrier account ${isolated(name)} are offline`,
    text: ({ lastContactAt }) =>
      `Last contact: ${lastContactAt === null ? 'never' : inUtc(new Date(lastContactAt))}. Messages wait until it is back. Check its ` +
      'power, its network, and that Android lets the app run in the background.',
    cure: atCarrier,
  },
  'phone.back': {
    mood: 'good',
    title: ({ name }) => `The phone of the carrier account ${isolated(name)} is back online`,
    text: () => 'Waiting messages are being sent.',
    cure: atCarrier,
  },
  'queue.stuck': {
    mood: 'bad',
    title: ({ queue }) => `The queue ${queue} is stuck`,
    text: ({ why }) => why,
    cure: atQueues,
  },
  'queue.recovered': {
    mood: 'good',
    title: ({ queue }) => `The queue ${queue} has recovered`,
    text: ({ why }) => why,
    cure: atQueues,
  },
  'second_factor.removal_asked': {
    mood: 'waiting',
    title: ({ email }) => `An operator asked to remove the second factor of ${isolated(email)}`,
    text: ({ reason }) =>
      `Reason: ${isolated(reason)} Another operator needs to confirm this within 24 hours. If this is your account and you ` +
      'did not ask for this, tell an operator right away. They can refuse it.',
    cure: atAccount,
  },
  'second_factor.removed': {
    mood: 'waiting',
    title: ({ email }) => `The second factor of ${isolated(email)} was removed`,
    text: () =>
      'All sessions have ended. Until a new second factor is set up, the password alone gives access to the account. If this is your ' +
      'account, sign in and set one up. If you did not ask for this, also change your password and tell an operator.',
    cure: atAccount,
  },
}

export type NoticeKind = AccountEventType

export function isNoticeKind(written: string): written is NoticeKind {
  return Object.hasOwn(NOTICE_KINDS, written)
}

function endpointOf({ host, lineName, applicationName }: EndpointDetails): string {
  if (lineName !== null) return `The endpoint at ${host} of the line ${isolated(lineName)}`
  if (applicationName !== null)
    return `The endpoint at ${host} of the application ${isolated(applicationName)}`
  return `The operational webhook at ${host}`
}

/**
 * Users' texts keep their own direction of writing. Pages make an element of these marks (Unicode's isolates), and
 * plain words omit them.
 */
function isolated(name: string): string {
  return `\u2068${name}\u2069`
}
