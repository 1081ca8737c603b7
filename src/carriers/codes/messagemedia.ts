import type { CarrierCodes } from './carrier-codes.js'

export const messagemedia: CarrierCodes = {
  source: 'https://messagemedia.github.io/documentation/',
  codes: {
    invalid_number: '411',
    unreachable: '414',
    landline: '413',
    blocked_by_recipient: '302 412',
    sender_not_allowed: '303 333 410',
    country_not_enabled: '332',
    no_credit: '301',
    expired: '320 401',
    carrier_fault: '330',
    unknown: '304 331 400 402 403',
  },
}
