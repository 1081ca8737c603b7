import type { CarrierCodes } from './carrier-codes.js'

/** The codes of the Messages API, without those that only chat apps have. */
export const vonage: CarrierCodes = {
  source: 'https://developer.vonage.com/api-errors/messages',
  codes: {
    invalid_number: '1040 1170 1190 1430',
    // 1200 is a number that was ported badly, 1280 a plan without texts, 1290 a phone without credit.
    unreachable: '1180 1200 1220 1260 1280 1290',
    landline: '1250 1310',
    blocked_by_recipient: '1050 1240',
    blocked_by_carrier: '1210 1270 1282 1473',
    // These are about India's DLT: entity, header, content and consent.
    sender_not_registered: '1480-1484',
    sender_not_allowed: '1120 1420',
    // 1470 and 1474 are rules of Fraud Defender that the account's owner has set.
    country_not_enabled: '1251 1470 1474',
    no_credit: '1070',
    // 1160 comes from a demo account, which sends to listed numbers only.
    account_suspended: '1060 1080 1140 1160',
    too_fast: '1000 1241 1460 1461 1472',
    too_long: '1090',
    media_not_accepted: '1380-1382',
    expired: '1360',
    carrier_fault: '1030 1100 1230 1331',
    unknown: '1330',
  },
}
