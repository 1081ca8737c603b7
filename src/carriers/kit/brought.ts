import type { Charge, PhoneState, SentRecord } from '../records.js'

/** What one item of a callback says. */
export type Brought =
  | BroughtText
  | BroughtReceipt
  | BroughtCall
  /** How a phone of the account is. */
  | { kind: 'phone'; phone: PhoneState }
  /** It is understood, and there is nothing to note. */
  | { kind: 'nothing' }
  /** It is kept and shown to operators. `why` names what is missing or not known. */
  | { kind: 'unclear'; why: string }

/** A message that came in. */
export interface BroughtText {
  kind: 'message'
  /** The provider's id, by which a repeat is known. */
  id: string
  /** As the provider writes them; the kit makes them E.164. */
  from: string
  to: string
  text: string
  mediaUrls: readonly string[]
  /** What the provider has read in it about being written to, and answered itself. */
  keyword: 'stop' | 'start' | 'help' | undefined
}

/** What became of a message that was sent. */
export interface BroughtReceipt {
  kind: 'receipt'
  /** The provider's id, as it was answered when the message was taken. */
  id: string
  status: SentRecord['status']
  /** Of a failure: the provider's own code, and its words. */
  code: string
  said: string
  /** Ours, where the provider hands it back. */
  messageId: string | undefined
  charge: Charge | undefined
}

/** A call that nobody answered. */
export interface BroughtCall {
  kind: 'missed call'
  /** As the provider writes them. */
  from: string
  to: string
  calledAt: Date
}

export const NOTHING: Brought = { kind: 'nothing' }

export function unclear(why: string): Brought {
  return { kind: 'unclear', why }
}

/** How a phone is, or what is unclear about it. @param given.at a date as the provider writes it */
export function phone({ at, ...given }: Omit<PhoneState, 'contactAt'> & { at: string }): Brought {
  const contactAt = new Date(at)
  const isClear = given.id !== '' && !Number.isNaN(contactAt.getTime())
  return isClear
    ? { kind: 'phone', phone: { ...given, contactAt } }
    : unclear('a phone without an ID or a time')
}

/** A missed call, or what is unclear about it. One whose caller hides the number is nothing that could be told. @param given.at a date */
export function missedCall({ from, to, at }: { from: string; to: string; at: string }): Brought {
  const calledAt = new Date(at)
  if (to === '' || Number.isNaN(calledAt.getTime()))
    return unclear('a missed call without a number or a time')
  return from === '' ? NOTHING : { kind: 'missed call', from, to, calledAt }
}

/** A message, or what is unclear about it: without an id a repeat would be another message. */
export function message(given: {
  id: string
  from: string
  to: string
  text?: string
  mediaUrls?: readonly string[]
  keyword?: 'stop' | 'start' | 'help' | undefined
}): Brought {
  const { id, from, to, text = '', mediaUrls = [], keyword } = given
  const missing = Object.entries({ id, from, to }).flatMap(([name, value]) => (value === '' ? [name] : []))
  if (missing.length > 0) return unclear(`a message without ${missing.join(', ')}`)
  return { kind: 'message', id, from, to, text, mediaUrls, keyword }
}

/** A provider's words for the states of a message; `nothing` for those that say nothing new. */
export type StateTable = Readonly<Record<string, SentRecord['status'] | 'nothing'>>

/** A receipt, by the provider's word for the state; or what is unclear about it. */
export function receipt(
  states: StateTable,
  given: {
    id: string
    state: string
    code?: string
    said?: string
    messageId?: string | undefined
    charge?: Charge | undefined
  },
): Brought {
  const { id, state, code = '', said = '', messageId, charge } = given
  const status = Object.hasOwn(states, state) ? states[state] : undefined
  if (status === undefined) return unclear(`a report with status "${state}"`)
  if (status === 'nothing') return NOTHING
  if (id === '' && messageId === undefined) return unclear('a report without a message ID')
  return { kind: 'receipt', id, status, code, said, messageId, charge }
}
