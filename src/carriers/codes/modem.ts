import type { CarrierCodes } from './carrier-codes.js'

/**
 * `CMS-` and `CME-` are the errors of a modem, +CMS ERROR and +CME ERROR; `ST-` is the status of a report, in
 * hexadecimal (3GPP TS 23.040 §9.2.3.15).
 */
export const modem: CarrierCodes = {
  source: 'https://www.3gpp.org/dynareport/27005.htm',
  codes: {
    invalid_number: 'CMS-1 CMS-195',
    unreachable: 'ST-43 ST-61 ST-62',
    landline: 'ST-41',
    account_suspended: 'CMS-8 CMS-10 CMS-28 CMS-30 CMS-50 CMS-193',
    blocked_by_carrier: 'CMS-197',
    expired: 'ST-46',
    carrier_fault: 'ST-40 ST-60 CMS-29 CMS-69',
    unknown: 'CMS-21 CMS-127',
  },
}
