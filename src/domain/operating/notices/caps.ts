import { listNearCaps, listNearMonthlyCaps } from '../../../database/messages/spend-caps.js'
import type { Context } from '../../context.js'
import { NEAR } from '../../messages/spending/spend-caps.js'
import { writeMoney } from '../../../kit/text/decimal.js'
import type { NoticeDetails } from '../../../event-types.js'
import { subjectsOf, type Watched } from './troubles.js'

/** How many caps are added in one look, fullest first, to those that were near before. The next look adds the rest. */
const MAX_ADDED = 200

/** Watches spend caps that are nearly used up today. A cap is reported again when it is changed, and the next day. */
export function watchCaps({ db }: Context): Watched {
  return {
    kinds: ['cap.near'],
    findTroubles: async (open) => {
      const caps = await listNearCaps(db, NEAR, subjectsOf(open), MAX_ADDED)
      return {
        troubles: caps.map(({ ownerId, day, ...cap }) => ({
          kind: 'cap.near' as const,
          subject: ownerId,
          userId: cap.userId,
          mark: `${day} ${cap.segmentsPerDay}`,
          afterMs: 0,
          details: cap satisfies NoticeDetails<'cap.near'>,
        })),
        endOf: () => ({ kind: 'over' }),
      }
    },
  }
}

/** Does the same for the caps of the month. */
export function watchMonthlyCaps({ db }: Context): Watched {
  return {
    kinds: ['monthly_cap.near'],
    findTroubles: async (open) => {
      const caps = await listNearMonthlyCaps(db, NEAR, subjectsOf(open), MAX_ADDED)
      return {
        troubles: caps.map(({ ownerId, month, ...cap }) => {
          const { userId, amount, currency, spent } = cap
          return {
            kind: 'monthly_cap.near' as const,
            subject: ownerId,
            userId,
            mark: `${month} ${amount} ${currency}`,
            afterMs: 0,
            details: {
              ...cap,
              amount: writeMoney(amount),
              spent: writeMoney(spent),
            } satisfies NoticeDetails<'monthly_cap.near'>,
          }
        }),
        endOf: () => ({ kind: 'over' }),
      }
    },
  }
}
