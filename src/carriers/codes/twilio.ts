import type { CarrierCodes } from './carrier-codes.js'

/** The codes of messages. Those of calls, of setting numbers up and of registrations never occur for a message. */
export const twilio: CarrierCodes = {
  source: 'https://www.twilio.com/docs/api/errors',
  codes: {
    invalid_number: '21211 21217 21401 30005 30014',
    unreachable: '30003',
    // 21614 and 21635 are numbers that are not mobile, 21265 is a short code.
    landline: '21265 21614 21635 30006',
    // Twilio gives 30004 for blocked recipients, and seldom for others.
    blocked_by_recipient: '21610 30004',
    // 21618 means that every network filters the text, and 30038 is a text with a one-time password.
    blocked_by_carrier: '21618 30007 30038 30450',
    // These are about 10DLC, toll-free verification (30032), names that a country wants registered (30018, 30040), numbers
    // that are not registered in the United Kingdom (30041), and the ids of India's DLT.
    sender_not_registered: '21900 21901 30018 30024 30032-30035 30040 30041',
    // 21701 and 21705 mean that a Messaging Service does not exist. 21910, 30015 and 30016 are about a sender of another
    // channel, such as WhatsApp. 14108 is about a sender in TwiML.
    sender_not_allowed: `14108 21212 21266 21407 21601 21606 21607 21612 21616 21657 21659-21661 21701 21703-21705 21709
      21711 21910 30015 30016 30042`,
    country_not_enabled: '21408',
    no_credit: '30010',
    // 14111, 21219 and 21608 come from a trial account, which sends to verified numbers only. 30037 means that sending is
    // switched off.
    account_suspended: '10001 10002 14111 20005 20010 21219 21608 30002 30037 90010',
    too_fast: '14107 20429 21611 30001 30022 30023 30027 30454 63017 63018 63038',
    // 30044 comes from a trial account, and 21652 is about the subject of an MMS.
    too_long: '21605 21617 21652 30044',
    media_not_accepted: '11751 12300 21620-21623 30011 30019',
    expired: '30036',
    carrier_fault: '20500 20503 21702 21730 30017 30020 30021 30410 30500',
    unknown: '30008',
  },
}
