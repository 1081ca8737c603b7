import type { MonthlyCap } from '../../../domain/messages/spending/monthly-caps.js'
import { moneyOf } from '../../../domain/messages/spending/monthly-caps.js'
import { writeMoney } from '../../../kit/text/decimal.js'

/** Writes "12.30 of 50.00 USD this month". */
export function spentWords({ spent, ...cap }: MonthlyCap): string {
  return `${writeMoney(spent)} of ${moneyOf(cap)} this month`
}

export function MonthlyCapBadge({ cap: { isNear, isUsedUp } }: { cap: MonthlyCap }) {
  return isNear ? <span class="badge bad">{isUsedUp ? 'spent' : 'nearly spent'}</span> : null
}
