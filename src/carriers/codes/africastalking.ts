import type { CarrierCodes } from './carrier-codes.js'

/** For an answer, the number or its word; for a receipt, the reason of the failure or the state. */
export const africastalking: CarrierCodes = {
  source: 'https://developers.africastalking.com/docs/sms/overview',
  codes: {
    invalid_number: '403 InvalidPhoneNumber UserDoesNotExist UserIsInactive',
    unreachable: 'AbsentSubscriber UserAccountSuspended',
    landline: '404 UnsupportedNumberType',
    // DND is Nigeria's list of people who want no such messages.
    blocked_by_recipient: '406 UserInBlacklist UserInBlackList 409 DoNotDisturbRejection',
    sender_not_registered: '402 InvalidSenderId',
    no_credit: '405 InsufficientBalance',
    expired: 'Expired',
    // NotNetworkSubcriber is how Africa's Talking spells it.
    carrier_fault: '500 InternalServerError 501 GatewayError NotNetworkSubcriber NotNetworkSubscriber',
    unknown: '502 RejectedByGateway DeliveryFailure',
  },
}
