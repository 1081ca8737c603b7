/**
 * What carriers' codes come down to: a closed set, so that a person and a program need not know each carrier's numbers.
 * Which code is which is in `src/carriers/codes`; `docs/carriers/codes.md` is made of both (`npm run codes`).
 */
export const CARRIER_REASONS = {
  invalid_number: {
    label: 'Invalid number',
    text: 'This number does not exist or is no longer in service. Check it before you resend.',
    who: 'owner',
  },
  unreachable: {
    label: 'Phone unreachable',
    text: 'The phone is switched off, out of coverage, or cannot receive messages right now. Resend later.',
    who: 'owner',
  },
  landline: {
    label: 'Cannot receive texts',
    text: 'This is a landline or another number that cannot receive texts. Use a mobile number.',
    who: 'owner',
  },
  blocked_by_recipient: {
    label: 'Blocked by the recipient',
    text: 'The recipient has opted out or blocked these messages. Do not resend: only the recipient can undo it.',
    who: 'owner',
  },
  blocked_by_carrier: {
    label: 'Blocked by the carrier',
    text: 'The carrier blocked this message as spam or for its content. Change the text and leave out shortened links before you resend.',
    who: 'owner',
  },
  sender_not_registered: {
    label: 'Sender not registered',
    text: 'This sender or text is not registered where the carriers require it (10DLC, toll-free verification, or DLT in India). Only the operator of this service can register it.',
    who: 'operator',
  },
  sender_not_allowed: {
    label: 'Sender not allowed',
    text: 'This sender cannot reach this number. Use another one, or ask the operator of this service to check it with the carrier.',
    who: 'owner or operator',
  },
  country_not_enabled: {
    label: 'Country not enabled',
    text: 'The carrier account cannot send to this country or network. Only the operator of this service can enable it.',
    who: 'operator',
  },
  no_credit: {
    label: 'No credit',
    text: 'The carrier account is out of credit or has reached its spending limit. Only the operator of this service can top it up.',
    who: 'operator',
  },
  account_suspended: {
    label: 'Account suspended',
    text: 'The carrier has suspended or restricted the account. Only the operator of this service can resolve this with the carrier.',
    who: 'operator',
  },
  too_fast: {
    label: 'Too many messages',
    text: 'Too many messages were sent at once, or in one day. Wait, then resend more slowly.',
    who: 'owner',
  },
  too_long: {
    label: 'Message too long',
    text: 'The message is longer than the carrier accepts. Shorten it before you resend.',
    who: 'owner',
  },
  media_not_accepted: {
    label: 'Media not accepted',
    text: 'The carrier or the phone did not accept the media. Send a smaller file, another type, or a link.',
    who: 'owner',
  },
  expired: {
    label: 'Expired',
    text: 'The carrier could not deliver the message in time. Resend it if it is still needed.',
    who: 'owner',
  },
  carrier_fault: {
    label: 'Carrier fault',
    text: 'Something failed at the carrier or in its network. Resend later. If it keeps failing, tell the operator of this service.',
    who: 'owner or operator',
  },
  unknown: {
    label: 'No reason given',
    text: 'The carrier did not say why. Check the number and resend once. If it fails again, tell the operator of this service.',
    who: 'owner or operator',
  },
} as const satisfies Record<string, ReasonWords>

interface ReasonWords {
  /** A heading of one or two words. */
  label: string
  /** A sentence or two on what it is, and what to do. */
  text: string
  /** The people who can do that. */
  who: 'owner' | 'operator' | 'owner or operator'
}

export type CarrierReason = keyof typeof CARRIER_REASONS

export const CARRIER_REASON_NAMES = Object.keys(CARRIER_REASONS) as CarrierReason[]

/** What a carrier's code means, as `/v1` shows it. */
export interface CarrierCodeMeaning {
  reason: CarrierReason
  text: string
}
