import type { Charge, PhoneState, SentRecord } from '../records.js'

export type CallbackItem =
  | MessageItem
  | ReceiptItem
  | MissedCallItem
  | OptOutItem
  /** The state of a phone of the account. */
  | { kind: 'phone'; phone: PhoneState }
  /** The item is understood, and there is nothing to note. */
  | { kind: 'nothing' }
  /** The item is stored and shown to operators. `why` names what is missing or unknown. */
  | { kind: 'unclear'; why: string }

export interface MessageItem {
  kind: 'message'
  /** The provider's id, by which a repeat is recognized. */
  id: string
  /** The numbers in the provider's form; the kit converts them to E.164. */
  from: string
  to: string
  text: string
  mediaUrls: readonly string[]
  /** The keyword that the provider recognized in the text, and has already answered. */
  keyword: 'stop' | 'start' | 'help' | undefined
}

/** Somebody has told the provider that they want no more messages of a sender. */
interface OptOutItem {
  kind: 'opt-out'
  /** The numbers in the provider's form: theirs, and the sender's. */
  from: string
  to: string
}

/** The outcome of a message that was sent. */
export interface ReceiptItem {
  kind: 'receipt'
  /** The provider's id from the response that accepted the message. */
  id: string
  status: SentRecord['status']
  /** For a failure, the provider's code and words. */
  code: string
  said: string
  /** Our id, if the provider returns it. */
  messageId: string | undefined
  /** True if the provider reports on each part of a long text. */
  isOfPart: boolean
  charge: Charge | undefined
}

/** A call that was not answered. */
interface MissedCallItem {
  kind: 'missed call'
  /** The numbers in the provider's form. */
  from: string
  to: string
  calledAt: Date
}

export const NOTHING: CallbackItem = { kind: 'nothing' }

export function unclear(why: string): CallbackItem {
  return { kind: 'unclear', why }
}

/**
 * Makes the state of a phone, or says what is unclear about it.
 *
 * @param given.at a date as the provider writes it
 */
export function phone({ at, ...given }: Omit<PhoneState, 'contactAt'> & { at: string }): CallbackItem {
  const contactAt = new Date(at)
  const isClear = given.id !== '' && !Number.isNaN(contactAt.getTime())
  return isClear
    ? { kind: 'phone', phone: { ...given, contactAt } }
    : unclear('a phone without an ID or a time')
}

/**
 * Makes a missed call, or says what is unclear about it. A call with a hidden number cannot be reported.
 *
 * @param given.at a date
 */
export function missedCall({ from, to, at }: { from: string; to: string; at: string }): CallbackItem {
  const calledAt = new Date(at)
  if (to === '' || Number.isNaN(calledAt.getTime()))
    return unclear('a missed call without a number or a time')
  return from === '' ? NOTHING : { kind: 'missed call', from, to, calledAt }
}

/** Makes an opt-out, or says what is unclear about it. */
export function optOut({ from, to }: { from: string; to: string }): CallbackItem {
  return from === '' || to === '' ? unclear('an opt-out without a number') : { kind: 'opt-out', from, to }
}

/** Makes a message, or says what is unclear about it: without an id, a repeat would count as another message. */
export function message(given: {
  id: string
  from: string
  to: string
  text?: string
  mediaUrls?: readonly string[]
  keyword?: 'stop' | 'start' | 'help' | undefined
}): CallbackItem {
  const { id, from, to, text = '', mediaUrls = [], keyword } = given
  const missing = Object.entries({ id, from, to }).flatMap(([name, value]) => (value === '' ? [name] : []))
  if (missing.length > 0) return unclear(`a message without ${missing.join(', ')}`)
  return { kind: 'message', id, from, to, text, mediaUrls, keyword }
}

/** A provider's words for the states of a message; `nothing` is for those that say nothing new. */
export type StateTable = Readonly<Record<string, SentRecord['status'] | 'nothing'>>

/** Makes a receipt from the provider's word for the state, or says what is unclear about it. */
export function receipt(
  states: StateTable,
  given: {
    id: string
    state: string
    code?: string
    said?: string
    messageId?: string | undefined
    isOfPart?: boolean
    charge?: Charge | undefined
  },
): CallbackItem {
  const { id, state, code = '', said = '', isOfPart = false, charge } = given
  const messageId = given.messageId || undefined
  const status = Object.hasOwn(states, state) ? states[state] : undefined
  if (status === undefined) return unclear(`a report with status "${state}"`)
  if (status === 'nothing') return NOTHING
  if (id === '' && messageId === undefined) return unclear('a report without a message ID')
  return { kind: 'receipt', id, status, code, said, messageId, isOfPart, charge }
}
