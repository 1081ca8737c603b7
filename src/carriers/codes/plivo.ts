import type { CarrierCodes } from './carrier-codes.js'

export const plivo: CarrierCodes = {
  source: 'https://plivo.com/docs/messaging/troubleshooting/error-codes',
  codes: {
    invalid_number: '50 70',
    unreachable: '80',
    blocked_by_recipient: '200',
    blocked_by_carrier: '30 100',
    // 201 is a message from a US toll-free number to Canada.
    sender_not_allowed: '40 201',
    country_not_enabled: '450',
    no_credit: '900',
    account_suspended: '910',
    too_long: '110',
    expired: '420',
    carrier_fault: '20 300',
    unknown: '1000',
  },
}
