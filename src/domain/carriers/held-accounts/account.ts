import { setTimeout as sleep } from 'node:timers/promises'
import type { CarrierClient } from '../../../carriers/carrier.js'
import { recordSessions, type SessionsReport } from '../../../database/carriers/carrier-sessions.js'
import { storable } from '../../../database/text.js'
import { asError, Unavailable } from '../../../errors.js'
import { jobCrashes } from '../../../telemetry/metrics.js'
import { MAX_FAULT_LENGTH } from '../accounts/account-fields.js'
import { openSettings } from '../carrier-settings.js'
import type { Context } from '../../context.js'
import { CRASH_WAIT_MS } from '../../crashes.js'
import { tryWaiting } from '../../messages/send/recovery.js'
import { countMessageCrash, sendMessage } from '../../messages/send.js'
import type { Taken } from '../../../queues/account-lanes.js'
import { receivingTools } from './receive.js'
import { triedSecretTools } from './tried-secret.js'

/** An account whose sessions this process holds. */
export interface OpenAccount {
  openSessionIds(): string[]
  /** Records the state of the sessions, if it has changed. Never fails. */
  report(): Promise<void>
  /** Sends and accepts nothing new, finishes what is under way, and unbinds. */
  close(): Promise<void>
}

/**
 * How soon a message is looked at again. A shorter pause would load a store that is just coming back. A longer one
 * would delay texts after a short outage.
 */
const PAUSE_MS = 1000
/**
 * Messages under way have this time to be finished before the sessions end. After that, only those that are with the
 * carrier are waited for: without Postgres, what it answers cannot be recorded, and another process may hold the
 * account by then.
 */
const FINISH_MS = 3000

/**
 * Opens the account's sessions, and uses them in both directions.
 *
 * @throws SettingsUnreadable, Unavailable
 */
export async function openAccount(
  context: Context,
  options: {
    id: string
    name: string
    kind: string
    version: number
    holderId: string
    openSessionIds: () => string[]
  },
): Promise<OpenAccount> {
  const { id, name, openSessionIds } = options
  const kind = context.carriers.kinds.get(options.kind)
  if (kind?.listen === undefined) throw new Error(`carriers of kind ${options.kind} have no sessions`)
  const account = { id, name, kind: options.kind, openSessionIds }
  let isReported = false
  let wasBound = false
  let reporting = Promise.resolve()

  const settings = kind.settings.cast(await openSettings(context, id)) as object
  const listener = kind.listen(account, settings, {
    hosts: context.carrierFetch,
    carrierTimeoutMs: context.config.carrierTimeoutMs,
    log: context.log.child({ carrierAccountId: id, carrier: name }),
    ...receivingTools(context, account),
    ...triedSecretTools(context, id),
    onChange: () => {
      isReported = false
      void report()
    },
  })
  const { carrier, withCarrier } = watched(listener.carrier)
  const endHold = context.carriers.hold(id, carrier)
  const sending = context.accountLanes.work(id, {
    concurrency: listener.concurrency,
    take: (messageId) => send(context, messageId),
  })

  /** Writes go one after another, so that the last one is the current state. */
  function report(): Promise<void> {
    reporting = reporting.then(async () => {
      if (isReported) return
      isReported = true
      const state = stateNow()
      const isBack = state.boundCount > 0 && !wasBound
      wasBound = state.boundCount > 0
      if (isBack) void tryWaiting(context, id)
      try {
        await recordSessions(context.db, options.holderId, state)
      } catch {
        isReported = false
      }
    })
    return reporting
  }

  function stateNow(): SessionsReport {
    const { fault, details, ...counts } = listener.state()
    return {
      accountId: id,
      version: options.version,
      ...counts,
      ...(details !== undefined && { details: storable(details).slice(0, MAX_FAULT_LENGTH) }),
      fault: fault && {
        text: storable(fault.text).slice(0, MAX_FAULT_LENGTH),
        ageMs: performance.now() - fault.at,
      },
    }
  }

  void report()
  return {
    openSessionIds: () => listener.openSessionIds(),
    report,
    close: async () => {
      const settled = sending.close()
      await Promise.race([settled, sleep(FINISH_MS, undefined, { ref: false })])
      while (withCarrier.size > 0) await Promise.allSettled(withCarrier)
      endHold()
      await listener.close()
      await report()
      await settled
    },
  }
}

/** The carrier, and the messages that it has not answered yet. */
function watched(carrier: CarrierClient): { carrier: CarrierClient; withCarrier: Set<Promise<unknown>> } {
  const withCarrier = new Set<Promise<unknown>>()
  const send: CarrierClient['send'] = async (message, signal) => {
    const sending = carrier.send(message, signal)
    withCarrier.add(sending)
    try {
      return await sending
    } finally {
      withCarrier.delete(sending)
    }
  }
  return { carrier: { ...carrier, send }, withCarrier }
}

/** Sends like a worker: it waits for what is unavailable, and anything else counts as a crash of the message. */
async function send(context: Context, messageId: string): Promise<Taken> {
  try {
    const outcome = await sendMessage(context, messageId)
    return { wasSent: outcome.kind === 'sent', ...(outcome.kind === 'wait' && { againInMs: outcome.ms }) }
  } catch (error) {
    const isOutage = error instanceof Unavailable
    if (isOutage) context.log.warn({ messageId, reason: asError(error).message }, 'message.waits')
    else {
      context.log.error({ messageId, err: asError(error) }, 'message.crashed')
      jobCrashes.inc({ queue: 'send-message' })
      await countMessageCrash(context, messageId).catch(() => undefined)
    }
    return { wasSent: false, againInMs: isOutage ? PAUSE_MS : CRASH_WAIT_MS }
  }
}
