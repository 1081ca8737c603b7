import type { CarrierCodes } from './carrier-codes.js'

export const telnyx: CarrierCodes = {
  source: 'https://developers.telnyx.com/docs/messaging/messages/error-codes',
  codes: {
    invalid_number: '10001 10002 10016 40012 40310',
    landline: '40001',
    blocked_by_recipient: '40300',
    // 40020 is two-factor traffic to numbers that earn money from it.
    blocked_by_carrier: '40002 40003 40009 40015 40017 40020 40322',
    // 40019 means that the campaign of the number does not fit. 40329 and 40330 are about toll-free numbers.
    sender_not_registered: '40010 40019 40329 40330',
    sender_not_allowed: '40013 40100 40150 40151 40155 40301 40305-40308 40315 40319-40321 40323 40325',
    country_not_enabled: '40309 40331',
    no_credit: '20100 40333',
    // 10039 comes from a new account, which sends to verified numbers only. 20014, 20016 and 20017 mean that the account's
    // owner is not verified, and 20015 that the account lacks a feature.
    account_suspended: '10039 20012-20017 40312 40314',
    too_fast: '10011 40011 40016 40018 40318',
    too_long: '40302 40328',
    media_not_accepted: '40317',
    expired: '40005 40014',
    carrier_fault: '10007 10008 40006',
    unknown: '40004 40008',
  },
}
