import type { LaneAnswer, LaneStep } from '../database/endpoints/deliveries/delivering.js'
import type { OpenIncomingWebhook } from '../database/lines/incoming-webhooks.js'
import type { Line } from '../database/lines/lines.js'
import type { ChangedMessage } from '../database/messages/announcing.js'
import type { QueueAnswer, QueueRequest } from '../database/messages/queueing.js'
import type { Receipt } from '../database/messages/receipts.js'
import type { ReceiveAnswer, ReceiveRequest } from '../database/messages/receiving.js'
import type { ClaimAnswer, ClaimRequest, Settlement } from '../database/messages/sending.js'
import type { AccountTable } from '../kit/text/segments.js'
import type { CallingAccount } from './carriers/calling-accounts.js'
import type { Keyword } from './messages/opt-out/keywords.js'

/** The statements of the hot paths: calls of one turn of the event loop become one round trip. */
export interface Batched {
  findOpenIncomingWebhook: (lineId: string) => Promise<OpenIncomingWebhook | undefined>
  /** The languages whose tables the account with this name may use. */
  findLanguages: (carrierAccount: string) => Promise<AccountTable[]>
  findCallingAccount: (id: string) => Promise<CallingAccount | undefined>
  findLineByNumber: (number: string) => Promise<Line | undefined>
  queueMessage: (request: QueueRequest) => Promise<QueueAnswer>
  claimMessage: (claim: ClaimRequest) => Promise<ClaimAnswer>
  settleMessage: (settlement: Settlement) => Promise<boolean>
  deliverNext: (step: LaneStep) => Promise<LaneAnswer>
  receiveMessage: (inbound: Inbound) => Promise<ReceiveAnswer>
  receiveReceipt: (receipt: Receipt) => Promise<ReceiptAnswer>
}

/** A message that a carrier has delivered, with its keyword. */
export interface Inbound extends ReceiveRequest {
  said?: { keyword: Keyword; isAnswered: boolean; receivedAt?: Date | undefined } | undefined
}

export interface ReceiptAnswer {
  /** True if the account whose signature let it in has changed, so that nothing was done. */
  isAccountChanged: boolean
  /** True if there is a message to which it belongs. */
  isKnown: boolean
  /** The message, if it changed. */
  changed: ChangedMessage | undefined
}
