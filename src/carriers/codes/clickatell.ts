import type { CarrierCodes } from './carrier-codes.js'

/**
 * Refusals and receipts are numbered separately, and some numbers are in both lists: 25 is a wrong recipient in a
 * refusal, and an empty account in a receipt. The states of receipts are listed here by name only, and the numbers of
 * refusals only if no receipt has the same.
 */
export const clickatell: CarrierCodes = {
  source: 'https://docs.clickatell.com',
  codes: {
    invalid_number: 'RECIPIENT_DOES_NOT_EXIST 29',
    sender_not_allowed: '44 45',
    no_credit: 'INSUFFICIENT_ACCOUNT_BALANCE',
    account_suspended: '2 3',
    too_fast: '43 VOLUME_LIMIT VOLUME_LIMIT_DAILY VOLUME_LIMIT_MONTHLY',
    media_not_accepted: `MEDIA_NOT_FOUND MEDIA_SIZE_ERROR MEDIA_CHECKSUM_FAILURE MEDIA_REJECTED_BY_SUPPLIER
      MEDIA_METADATA_ERROR`,
    expired: 'EXPIRED',
    carrier_fault: '18 19 ROUTING_ERROR',
    unknown: 'DELIVERY_FAILURE',
  },
}
