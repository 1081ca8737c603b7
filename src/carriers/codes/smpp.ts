import type { CarrierCodes } from './carrier-codes.js'

/**
 * The `command_status` of an answer, and the state of a receipt. The error of a receipt (`err:`) is not here: the
 * specification leaves it to each SMSC, and published lists contradict one another: 001 is an unknown subscriber by 3GPP
 * 29.002, and a phone that is off at Twilio's SMSCs. The account's setting `receiptErrors` gives it a meaning.
 */
export const smpp: CarrierCodes = {
  source: 'https://smpp.org',
  codes: {
    invalid_number: 'ESME_RINVDSTADR',
    sender_not_allowed: 'ESME_RINVSRCADR ESME_RINVSRCTON ESME_RINVSRCNPI',
    no_credit: 'NOCRED',
    account_suspended: 'ESME_RPROHIBITED ESME_RSERTYPUNAUTH ESME_RSERTYPDENIED',
    too_fast: 'ESME_RTHROTTLED ESME_RMSGQFUL',
    too_long: 'ESME_RINVMSGLEN',
    expired: 'EXPIRED',
    carrier_fault: 'SYSERR ESME_RSYSERR ESME_RSUBMITFAIL ESME_RX_T_APPN ESME_RSERTYPUNAVAIL',
    unknown: 'ESME_RDELIVERYFAILURE ESME_RUNKNOWNERR',
  },
}
