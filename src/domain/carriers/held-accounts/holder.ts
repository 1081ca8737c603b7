import { deleteOldArrivals } from '../../../database/messages/arrivals.js'
import { recordSessions, releaseAccount, renewHolds } from '../../../database/carriers/carrier-sessions.js'
import { asError } from '../../../errors.js'
import { every } from '../../../kit/process/every.js'
import { newId } from '../../../ids.js'
import type { Context } from '../../context.js'
import { openAccount, type OpenAccount } from './account.js'
import { receiveStaleTexts } from './long-texts.js'

/**
 * The interval at which new or changed accounts are noticed. Each check is one statement, and renews the leases as
 * well.
 */
const FOLLOW_MS = 1000
/**
 * After this time another process takes over the accounts of a killed one. The lease is renewed each second, so
 * renewals may fail.
 */
const LEASE_MS = 6000
/** Texts with missing parts are ten minutes old by then, so another minute does not matter. */
const TIDY_MS = 60_000

type Accounts = Awaited<ReturnType<typeof renewHolds>>

interface Held {
  version: number
  account: OpenAccount
  isClosing: boolean
}

/**
 * Holds the sessions, in both directions, of every account whose kind has some (`listen`) and that no other process
 * holds, by a lease in Postgres. The lease is not in Redis: after a FLUSHALL two processes would bind. And without
 * Postgres nothing can be sent or received anyway.
 */
export function holdAccounts(
  context: Context,
  { followMs = FOLLOW_MS, leaseMs = LEASE_MS } = {},
): { close(): Promise<void> } {
  const { db, log } = context
  const holderId = newId()
  const held = new Map<string, Held>()
  /** What is wrong with accounts that could not be opened. It is tried each second, and logged once. */
  const faults = new Map<string, string>()
  const openSessionIds = () => [...held.values()].flatMap(({ account }) => account.openSessionIds())
  let renewedAt = performance.now()

  async function follow(): Promise<void> {
    const askedAt = performance.now()
    let accounts: Accounts
    try {
      accounts = await renewHolds(db, { holderId, kinds: context.carriers.heldKinds, leaseMs })
    } catch (error) {
      // Our leases may have expired, so another process may hold the accounts by now.
      if (performance.now() - renewedAt > leaseMs) for (const [id, each] of held) letGo(id, each)
      throw error
    }
    renewedAt = askedAt
    const versions = new Map(accounts.map(({ id, version }) => [id, version]))
    for (const [id, each] of held) {
      if (versions.get(id) !== each.version) letGo(id, each)
      else await each.account.report()
    }
    for (const account of accounts) if (!held.has(account.id)) await open(account)
  }

  async function open({ id, name, kind, version }: Accounts[number]): Promise<void> {
    try {
      const account = await openAccount(context, { id, name, kind, version, holderId, openSessionIds })
      held.set(id, { version, account, isClosing: false })
      faults.delete(id)
    } catch (error) {
      // The other accounts must not wait for this one.
      const text = asError(error).message
      if (faults.get(id) !== text)
        log.warn({ carrierAccountId: id, carrier: name, err: asError(error) }, 'carrier.account_not_opened')
      faults.set(id, text)
      const report = { accountId: id, version, boundCount: 0, sessionCount: 0, fault: { text, ageMs: 0 } }
      await recordSessions(db, holderId, report).catch(() => undefined)
    }
  }

  /** This is not awaited, because the leases of the other accounts have to be renewed in the meantime. */
  function letGo(id: string, each: Held): void {
    if (each.isClosing) return
    each.isClosing = true
    void each.account
      .close()
      .catch((error: unknown) => {
        log.error({ carrierAccountId: id, err: asError(error) }, 'carrier.account_not_closed')
      })
      .finally(() => held.delete(id))
  }

  async function tidy(): Promise<void> {
    await receiveStaleTexts(context)
    await deleteOldArrivals(db)
  }

  const timers = [every(followMs, follow, log, 'held accounts'), every(TIDY_MS, tidy, log, 'long texts')]
  return {
    close: async () => {
      await Promise.all(timers.map((timer) => timer.stop()))
      await Promise.all(
        [...held].map(async ([id, { account }]) => {
          await account.close()
          await releaseAccount(db, holderId, id)
        }),
      )
    },
  }
}
