import type { CarrierCodes } from './carrier-codes.js'

/** For a receipt, the error's code; for a refusal, its name. */
export const bird: CarrierCodes = {
  source: 'https://bird.com/docs/guides/errors',
  codes: {
    invalid_number: 'invalid_destination SMSInvalidRecipient',
    unreachable: 'unreachable',
    landline: 'landline_unreachable',
    blocked_by_recipient: 'blocked_by_recipient recipient_opted_out',
    blocked_by_carrier: 'blocked_by_carrier content_rejected',
    sender_not_registered: 'sender_unregistered',
    sender_not_allowed: 'SMSNoEligibleSender SMSSenderNotConfigured SenderCategoryNotPermitted',
    no_credit: 'insufficient_balance',
    media_not_accepted: 'SMSUnsupportedFeature',
    carrier_fault: 'provider_unavailable',
    unknown: 'unknown',
  },
}
