import { avoidAccount, endAvoiding } from '../../../database/carriers/carrier-accounts.js'
import type { MessageToSend, Settlement } from '../../../database/messages/sending.js'
import { asError } from '../../../errors.js'
import { routesPassedOver } from '../../../telemetry/metrics.js'
import type { Context } from '../../context.js'
import { BRIEF_MS } from './recovery.js'

/** An account that failed is avoided for this long, doubled each time until it takes a message again. */
const AVOIDED = { baseMs: 30_000, maxMs: 600_000 }

/**
 * Gives a message back for its line's next route, if this account has certainly not taken it and another one might. A
 * message that may have been taken (`unknown`) is never sent through another route: the person would be texted twice.
 */
export async function orNextRoute(
  context: Context,
  message: MessageToSend,
  settlement: Settlement,
): Promise<Settlement> {
  const { account } = message
  if (settlement.status === 'sent' && account.isAvoided) {
    // This is not awaited, because the result of the message comes first.
    void note(context, account.id, endAvoiding(context.db, account.id, BRIEF_MS))
  }
  const isFailing = settlement.isOfAccount !== true && settlement.isOfLine !== true
  if (!message.hasOtherRoute) {
    // The next message that it takes then wakes those that wait. One failure is enough for that.
    if (settlement.error === 'carrier_unavailable' && isFailing && !account.isAvoided)
      await note(context, account.id, avoidAccount(context.db, account.id, AVOIDED))
    return settlement
  }
  // The person may have this message already. Those after it should not become unknown too.
  if (settlement.status === 'unknown') {
    await note(context, account.id, avoidAccount(context.db, account.id, AVOIDED))
    return settlement
  }
  const reason = reasonToPassOver(context, settlement)
  if (reason === undefined) return settlement
  routesPassedOver.inc({ carrier: account.name })
  if (isFailing) {
    const { dueInMs = 0, error } = settlement
    const avoided = error === 'throttled' ? { baseMs: dueInMs, maxMs: dueInMs } : AVOIDED
    await note(context, account.id, avoidAccount(context.db, account.id, avoided))
  }
  const { id, claim } = settlement
  return {
    ...{ id, claim, status: 'queued', error: 'carrier_unavailable', carrier: account.name },
    passedOver: reason,
    dueInMs: 0,
  }
}

/** Returns the reason why another account may send it; undefined if it may not, or this one takes it soon. */
function reasonToPassOver({ config }: Context, settlement: Settlement): string | undefined {
  const { status, error, dueInMs = 0, isOfAccount = false } = settlement
  switch (status) {
    case 'queued':
      return error === 'throttled' && dueInMs <= config.routeThrottleMs ? undefined : error
    case 'failed':
      return isOfAccount || error === 'carrier_missing' ? error : undefined
    case 'sent':
    case 'unknown':
      return undefined
  }
}

/** This may fail: it only saves the next messages a futile try, or lets them return a little sooner. */
async function note({ log }: Context, carrierAccountId: string, writing: Promise<void>): Promise<void> {
  await writing.catch((error: unknown) => {
    log.warn({ carrierAccountId, err: asError(error) }, 'carrier.avoiding_not_noted')
  })
}
