import { setTimeout as sleep } from 'node:timers/promises'
import { recordCarrierTest, type CarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import { listCarrierSessions } from '../../../database/carriers/carrier-sessions.js'
import { storable } from '../../../database/text.js'
import { UserError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { tryWaiting } from '../../messages/send/recovery.js'
import { listAccountOverviews } from '../carrier-accounts.js'
import { MAX_FAULT_LENGTH } from './account-fields.js'
import { askCarrier } from './ask-carrier.js'
import { viewSessions } from './sessions.js'

/** A user is waiting, and each check is a query: a fifth of a second is not noticeable. */
const LOOK_MS = 200
/**
 * By then new settings are in use, unless something is wrong: the process that holds the sessions looks for changes
 * each second, and first finishes what is under way.
 */
const REOPENED_MS = 6000
/**
 * The same where the account is tested: a modem that is present but does not answer is given up on within this time.
 */
const HELD_MS = 15_000

export type CarrierTestResult = { ok: true } | { ok: false; fault: string }

/** Tests the account without sending anything; the result is stored with it. `fault` describes the fault in words. */
export async function testCarrierAccount(
  context: Context,
  account: CarrierAccount,
): Promise<CarrierTestResult> {
  const startedAt = performance.now()
  const fault = await findFault(context, account)
  await recordCarrierTest(context.db, account, fault ?? null)
  if (fault === undefined) await tryWaiting(context, account.id)
  const durationMs = Math.round(performance.now() - startedAt)
  const outcome = fault === undefined ? 'ok' : 'faulty'
  context.log.info({ carrierAccountId: account.id, outcome, durationMs }, 'carrier_account.tested')
  return fault === undefined ? { ok: true } : { ok: false, fault }
}

/**
 * True if the account has all of its sessions, opened with these settings. There is no better test: another session
 * might be refused, or end the one that messages use. After a change this waits until the process that holds the
 * sessions has opened them with the new settings.
 */
async function isInUse({ db }: Context, { id, version }: CarrierAccount): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const sessions = (await listCarrierSessions(db)).get(id)
    if (sessions?.isHeld !== true || sessions.version === null) return false
    if (sessions.version >= version)
      return sessions.boundCount > 0 && sessions.boundCount === sessions.sessionCount
    if (waitedMs >= REOPENED_MS) return false
    await sleep(LOOK_MS)
  }
}

/** Waits for the process that holds the account, because only its result counts as a test. */
async function findHeldFault(context: Context, { id, version }: CarrierAccount): Promise<string | undefined> {
  let before: Date | null | undefined
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const sessions = (await listAccountOverviews(context)).find((each) => each.id === id)?.sessions
    if (sessions == null) return undefined
    const { words, isWhole } = viewSessions(sessions)
    if (!sessions.isHeld) return words
    const isCurrent = sessions.version !== null && sessions.version >= version
    if (isCurrent && isWhole) return undefined
    before ??= sessions.lastErrorAt ?? new Date(0)
    const isNew = isCurrent && sessions.lastErrorAt !== null && sessions.lastErrorAt > before
    if (isNew || waitedMs >= HELD_MS) return sessions.lastError ?? words
    await sleep(LOOK_MS)
  }
}

async function findFault(context: Context, account: CarrierAccount): Promise<string | undefined> {
  try {
    if (context.carriers.kinds.get(account.kind)?.isTestedWhereHeld)
      return await findHeldFault(context, account)
    if (await isInUse(context, account)) return undefined
    const fault = await askCarrier(context, account, (carrier, signal) => carrier.test(signal))
    // The holder's own session may have come first, and be the only one that the carrier allows.
    if (fault === undefined || (await isInUse(context, account))) return undefined
    return storable(fault).slice(0, MAX_FAULT_LENGTH)
  } catch (error) {
    if (error instanceof UserError) return storable(error.message).slice(0, MAX_FAULT_LENGTH)
    throw error
  }
}
