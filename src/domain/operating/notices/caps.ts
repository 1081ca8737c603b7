import { listNearCaps, listNearMonthlyCaps } from '../../../database/messages/spend-caps.js'
import type { Context } from '../../context.js'
import { NEAR } from '../../messages/spending/spend-caps.js'
import { writeMoney } from '../../../kit/text/decimal.js'
import type { NoticeDetails } from '../../../event-types.js'
import type { Watched } from './troubles.js'

/** How many caps are checked, fullest first: a user with more of them has a single cause. */
const MAX_LOOKED_AT = 200

/** Watches spend caps that are nearly used up today. A cap is reported again when it is changed, and the next day. */
export function watchCaps({ db }: Context): Watched {
  return {
    kinds: ['cap.near'],
    findTroubles: async () => {
      const caps = await listNearCaps(db, NEAR, MAX_LOOKED_AT)
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
    findTroubles: async () => {
      const caps = await listNearMonthlyCaps(db, NEAR, MAX_LOOKED_AT)
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
