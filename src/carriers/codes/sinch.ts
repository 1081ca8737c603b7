import type { CarrierCodes } from './carrier-codes.js'

/**
 * The codes from 400 on are those of the REST API; the lower ones those of Sinch's SMSCs, as far as their page for US
 * numbers explains them.
 */
export const sinch: CarrierCodes = {
  source: 'https://developers.sinch.com/docs/sms/api-reference/sms/delivery-reports',
  codes: {
    invalid_number: '300',
    unreachable: '152 417',
    // 15 and 62 are spam filters.
    blocked_by_carrier: '15 62',
    // 60 means that the 10DLC campaign is not active.
    sender_not_registered: '60',
    sender_not_allowed: '310 410',
    country_not_enabled: '412',
    no_credit: '409',
    account_suspended: '413 blocked_account',
    too_fast: '64',
    too_long: '411',
    media_not_accepted: '414-416 418',
    expired: '406',
    carrier_fault: '403 404',
    unknown: '402 408',
  },
}
