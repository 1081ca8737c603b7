import { listNearCaps, listNearMonthlyCaps } from '../../../database/messages/spend-caps.js'
import type { Context } from '../../context.js'
import { NEAR } from '../../messages/spending/spend-caps.js'
import { writeMoney } from '../../../kit/text/decimal.js'
import { watching, type Watched } from './troubles.js'

/** How many caps are added in one look, fullest first, to those that were near before. The next look adds the rest. */
const MAX_ADDED = 200

/** Watches spend caps that are nearly used up today. A cap is reported again when it is changed, and the next day. */
export function watchCaps({ db }: Context): Watched {
  return watching('cap.near', async (known) =>
    (await listNearCaps(db, NEAR, known, MAX_ADDED)).map(({ ownerId, day, ...cap }) => ({
      subject: ownerId,
      userId: cap.userId,
      mark: `${day} ${cap.segmentsPerDay}`,
      details: cap,
    })),
  )
}

/** Does the same for the caps of the month. */
export function watchMonthlyCaps({ db }: Context): Watched {
  return watching('monthly_cap.near', async (known) =>
    (await listNearMonthlyCaps(db, NEAR, known, MAX_ADDED)).map(({ ownerId, month, ...cap }) => ({
      subject: ownerId,
      userId: cap.userId,
      mark: `${month} ${cap.amount} ${cap.currency}`,
      details: { ...cap, amount: writeMoney(cap.amount), spent: writeMoney(cap.spent) },
    })),
  )
}
