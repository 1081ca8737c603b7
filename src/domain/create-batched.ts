import { listLanguagesOf } from '../database/carriers/carrier-accounts.js'
import { deliverNext, type LaneStep } from '../database/endpoints/deliveries/delivering.js'
import { findOpenIncomingWebhooks } from '../database/lines/incoming-webhooks.js'
import { findLinesByNumbers } from '../database/lines/lines.js'
import type { Receipt } from '../database/messages/receipts.js'
import {
  claimMessages,
  settleMessages,
  type ClaimRequest,
  type Settlement,
} from '../database/messages/sending.js'
import { batch } from '../kit/process/batch.js'
import type { Batched, Inbound } from './batched.js'
import { findCallingAccounts } from './carriers/calling-accounts.js'
import type { Context } from './context.js'
import { DISABLE_AFTER_MS } from './endpoints/deliveries/retry-schedule.js'
import { LEASE_MS, LOST_WAKER_MS } from './leases.js'
import { receiveReceipts } from './messages/receipts.js'
import { receiveBatch } from './messages/receive.js'
import { createQueueing } from './messages/submit/queueing.js'

type Tools = Pick<
  Context,
  'config' | 'carriers' | 'db' | 'queues' | 'sendingQueue' | 'windows' | 'log' | 'secrets' | 'maxLost'
>

/** @param forCallers for the statements for which a client's request waits */
export function createBatched(
  { config, carriers, db, queues, sendingQueue, windows, log, secrets, maxLost }: Tools,
  forCallers: { maxWaitMs: number },
): Batched {
  const claimLimits = {
    leaseMs: LEASE_MS.messages,
    maxAgeMs: config.messageTtlMs,
    lookAgainMs: LOST_WAKER_MS,
    heldKinds: carriers.heldKinds,
  }
  const laneLimits = {
    leaseMs: LEASE_MS.deliveries,
    maxLost,
    maxInFlight: config.endpointMaxInFlight,
    disableAfterMs: DISABLE_AFTER_MS,
  }

  return {
    findOpenIncomingWebhook: batch(
      (lineIds: readonly string[]) => findOpenIncomingWebhooks(db, lineIds),
      forCallers,
    ),

    findLanguages: batch((names: readonly string[]) => listLanguagesOf(db, names), forCallers),

    findCallingAccount: batch(
      (ids: readonly string[]) => findCallingAccounts({ carriers, db, secrets, log }, ids),
      forCallers,
    ),

    queueMessage: batch(createQueueing({ db, queues, sendingQueue, config }), forCallers),
    claimMessage: batch((claims: readonly ClaimRequest[]) =>
      claimMessages(db, claims, { ...claimLimits, heldAccounts: carriers.heldAccounts() }),
    ),
    settleMessage: batch(async (settlements: readonly Settlement[]) => {
      void queues.enqueueNext(await settleMessages(db, settlements))
      return settlements.map(() => true)
    }),

    deliverNext: batch((steps: readonly LaneStep[]) => deliverNext(db, steps, laneLimits)),
    findLineByNumber: batch((numbers: readonly string[]) => findLinesByNumbers(db, numbers), forCallers),
    receiveMessage: batch(
      (inbound: readonly Inbound[]) => receiveBatch({ db, queues, windows, log }, inbound),
      forCallers,
    ),
    receiveReceipt: batch(
      (receipts: readonly Receipt[]) => receiveReceipts({ db, queues }, receipts),
      forCallers,
    ),
  }
}
