import type { AccountEventType, NoticeDetails } from '../../../event-types.js'
import { countryName } from '../../messages/country-guard.js'
import { countOf, describeMs } from '../overview/figures.js'
import { failureDoes } from '../causes.js'
import type { Cure } from '../overview/cure.js'

export type EndpointDetails = NoticeDetails<'endpoint.failing'>
export type CarrierDetails = NoticeDetails<'carrier.down'>
export type QueueDetails = NoticeDetails<'queue.stuck'>

interface Words<Details> {
  /** `good`: it tells that something is over. */
  mood: 'bad' | 'waiting' | 'good'
  /** What happened, in a line: the subject of the mail. */
  title: (details: Details) => string
  /** What it means and what to do, a sentence or two. */
  text: (details: Details) => string
  /** The page where it is mended, or looked at. */
  cure: (details: Details) => Cure
}

const atEndpoint = ({ userId, lineId, applicationId, endpointId }: EndpointDetails): Cure => {
  if (lineId !== null) return { at: 'line', userId, lineId }
  if (applicationId !== null) return { at: 'application', userId, applicationId }
  return { at: 'endpoint', userId, endpointId }
}
const atCarrier = ({ accountId }: CarrierDetails): Cure => ({ at: 'carrier', id: accountId })
const atAccount = ({ userId }: { userId: string }): Cure => ({ at: 'second factor', userId })
const atQueues = (): Cure => ({ at: 'queues' })

/**
 * The words of everything that people are told of, for the console, the mails and the events of operational webhooks.
 * When each is told, and to whom, stands with the other types of events (`src/event-types.ts`).
 */
export const NOTICE_KINDS: { [Type in AccountEventType]: Words<NoticeDetails<Type>> } = {
  'endpoint.failing': {
    mood: 'waiting',
    title: (endpoint) =>
      // One that was told of by the release before has no reason.
      `${endpointOf(endpoint)} ${endpoint.lastFailure == null ? 'fails' : failureDoes(endpoint.lastFailure)[0]}`,
    text: ({ failureCount, failingForMs }) =>
      `The last ${countOf(failureCount, 'request')} failed` +
      `${failingForMs === null ? '' : `, for ${describeMs(failingForMs)} now`}. Its events are tried again. ` +
      'After 5 days of nothing but failures it is disabled, and its events are held. See what it answers, and mend it.',
    cure: atEndpoint,
  },
  'endpoint.disabled': {
    mood: 'bad',
    title: (endpoint) => `${endpointOf(endpoint)} is disabled`,
    text: ({ reason }) =>
      (reason === 'gone'
        ? 'It answered 410, which says that its URL is gone for good.'
        : 'Nothing but failures came from it for 5 days.') +
      ' Its events are held and not lost. Mend it, enable it again, and send what is held.',
    cure: atEndpoint,
  },
  'endpoint.recovered': {
    mood: 'good',
    title: (endpoint) => `${endpointOf(endpoint)} works again`,
    text: () =>
      'It took the last event. Events that were held while it was disabled are sent when you ask for it.',
    cure: atEndpoint,
  },
  'messages.unknown': {
    mood: 'waiting',
    title: ({ count }) => `Nobody knows whether ${countOf(count, 'message was', 'messages were')} sent`,
    text: () =>
      'The carrier may have taken them, so they are not repeated by themselves. Find out which came, and send the others again.',
    cure: ({ userId }) => ({ at: 'unknown messages', userId }),
  },
  'cap.near': {
    mood: 'waiting',
    title: ({ lineName }) =>
      `A spend cap is nearly used up: ${lineName === null ? 'of all lines together' : `of the line ${isolated(lineName)}`}`,
    text: ({ segmentsPerDay, used }) =>
      `${used} of ${countOf(segmentsPerDay, 'segment')} were accepted today. When all are, messages are refused with 429 until ` +
      'midnight UTC. If they are yours, ask an operator for a higher cap.',
    cure: ({ userId, lineId }) => (lineId === null ? { at: 'user', userId } : { at: 'line', userId, lineId }),
  },
  'monthly_cap.near': {
    mood: 'waiting',
    title: ({ lineName }) =>
      `A monthly cap is nearly spent: ${lineName === null ? 'of all lines together' : `of the line ${isolated(lineName)}`}`,
    text: ({ amount, currency, spent }) =>
      `${spent} of ${amount} ${currency} are spent this month. When all is, messages are refused with 429 until the first of ` +
      'next month (UTC). If they are yours, ask an operator for a higher cap.',
    cure: ({ userId, lineId }) => (lineId === null ? { at: 'user', userId } : { at: 'line', userId, lineId }),
  },
  'country.paused': {
    mood: 'bad',
    title: ({ country }) => `Messages to ${countryName(country)} are refused`,
    text: ({ accepted, usual }) =>
      `${accepted} were accepted in an hour, and never more than ${usual} in an hour of the month before. If they are not ` +
      'yours, regenerate the incoming webhooks and revoke the API tokens. If they are, ask an operator to let them go on.',
    cure: ({ userId }) => ({ at: 'user', userId }),
  },
  'carrier.down': {
    mood: 'bad',
    title: ({ name }) => `The carrier account ${isolated(name)} is down`,
    text: ({ state }) =>
      `What is wrong: ${state}. Messages of its lines wait, and go out in order when it works again. Look at the account.`,
    cure: atCarrier,
  },
  'carrier.recovered': {
    mood: 'good',
    title: ({ name }) => `The carrier account ${isolated(name)} works again`,
    text: () => 'What waited for it is being sent.',
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
    title: ({ queue }) => `The queue ${queue} moves again`,
    text: ({ why }) => why,
    cure: atQueues,
  },
  'second_factor.removal_asked': {
    mood: 'waiting',
    title: ({ email }) => `An operator asks to remove the second factor of ${isolated(email)}`,
    text: ({ reason }) =>
      `The reason: ${isolated(reason)} Another operator has to confirm it within 24 hours. If it is your account and you ` +
      'did not ask for this, tell an operator at once: they can refuse it.',
    cure: atAccount,
  },
  'second_factor.removed': {
    mood: 'waiting',
    title: ({ email }) => `The second factor of ${isolated(email)} is removed`,
    text: () =>
      'All sessions of the account are ended, and until a new second factor is set up the password opens it. If it is your ' +
      'account, sign in and set one up. If you did not ask for this, set a new password too, and tell an operator.',
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
 * What people typed keeps its own direction of writing. Pages make an element of these marks (Unicode's isolates), and
 * plain words go without.
 */
function isolated(name: string): string {
  return `\u2068${name}\u2069`
}
