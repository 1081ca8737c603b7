import type { NoticeDetails } from '../../../event-types.js'
import { listAccountOverviews, type ListedCarrierAccount } from '../../carriers/carrier-accounts.js'
import { viewPhones } from '../../carriers/accounts/phones.js'
import type { Context } from '../../context.js'
import type { Watched } from './troubles.js'

/** After a restart, phones are polled before they are judged. */
const PATIENCE_MS = 60_000

/**
 * Watches the phones that lines send through: one that has been silent for long enough is away. An account has one
 * notification for all of its phones.
 */
export function watchPhones(context: Context): Watched {
  return {
    kinds: ['phone.away'],
    findTroubles: async () => {
      const accounts = (await listAccountOverviews(context)).filter(({ lineCount }) => lineCount > 0)
      const byId = new Map(accounts.map((account) => [account.id, account]))
      return {
        troubles: accounts
          .map((account) => ({ account, details: detailsOf(account) }))
          .filter(({ details }) => details.awayCount > 0)
          .map(({ account, details }) => ({
            kind: 'phone.away' as const,
            subject: account.id,
            userId: null,
            mark: 'away',
            afterMs: PATIENCE_MS,
            details,
          })),
        endOf: ({ subject }) => {
          const account = byId.get(subject)
          // Its lines have moved, or it no longer has a phone.
          if (account === undefined || Object.keys(account.phones).length === 0) return { kind: 'over' }
          return { kind: 'recovered', as: 'phone.back', userId: null, details: detailsOf(account) }
        },
      }
    },
  }
}

function detailsOf(account: ListedCarrierAccount): NoticeDetails<'phone.away'> {
  const phones = viewPhones(account)
  return {
    accountId: account.id,
    name: account.name,
    awayCount: phones.filter(({ isAway }) => isAway).length,
    lastContactAt: phones[0]?.contactAt.toISOString() ?? null,
  }
}
