import { startReceiver, type Receiver } from '../../carriers/smpp/receiver.js'
import { smppSettings } from '../../carriers/smpp/settings.js'
import { listCarrierAccounts, type CarrierAccount } from '../../database/carrier-accounts.js'
import { available } from '../../database/connection.js'
import { confirmArrivals, deleteOldArrivals } from '../../database/smpp-inbound.js'
import { asError } from '../../errors.js'
import { every } from '../../every.js'
import { openSettings } from '../carriers.js'
import type { Context } from '../context.js'
import { receiveStaleTexts } from './long-texts.js'
import { receiveDelivery } from './receive.js'

const ACCOUNTS_MS = 2000
const TIDY_MS = 60_000

/** Receives for every SMPP account that there is, as long as there is one. */
export function receiveFromSmscs(
  context: Context,
  { accountsMs = ACCOUNTS_MS } = {},
): { close(): Promise<void> } {
  const { db, log } = context
  const receivers = new Map<string, { version: number; receiver: Receiver }>()
  const openSessionIds = () => [...receivers.values()].flatMap(({ receiver }) => receiver.openSessionIds())

  async function followAccounts(): Promise<void> {
    const accounts = await available(() => listCarrierAccounts(db, 'smpp'))
    const versions = new Map(accounts.map(({ id, version }) => [id, version]))
    for (const [id, { version, receiver }] of receivers) {
      if (versions.get(id) === version) continue
      await receiver.close()
      receivers.delete(id)
    }
    for (const account of accounts) if (!receivers.has(account.id)) await open(account)
  }

  async function open({ id, name, version }: CarrierAccount): Promise<void> {
    try {
      const settings = smppSettings.cast(await openSettings(context, id))
      const account = { id, name, settings, openSessionIds }
      const receiver = startReceiver({
        settings,
        log: log.child({ carrierAccountId: id }),
        handle: (delivery) => receiveDelivery(context, account, delivery),
        confirm: (ids) => available(() => confirmArrivals(db, ids)),
      })
      receivers.set(id, { version, receiver })
    } catch (error) {
      // The others must not wait for it.
      log.warn({ carrierAccountId: id, err: asError(error) }, 'smpp.account_not_opened')
    }
  }

  async function tidy(): Promise<void> {
    await receiveStaleTexts(context)
    await available(() => deleteOldArrivals(db))
  }

  const timers = [
    every(accountsMs, followAccounts, log, 'smpp accounts'),
    every(TIDY_MS, tidy, log, 'smpp long texts'),
  ]
  return {
    close: async () => {
      await Promise.all(timers.map((timer) => timer.stop()))
      await Promise.all([...receivers.values()].map(({ receiver }) => receiver.close()))
    },
  }
}
