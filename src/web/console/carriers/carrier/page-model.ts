import type { CarrierAccount } from '../../../../domain/carriers/carrier-accounts.js'
import type { CarrierAccountOverview } from '../../../../domain/carriers/accounts/overview.js'
import type { Page } from '../../page.js'

export const CARRIERS = '/console/carriers'

/** What every section of an account's page may show. */
export interface CarrierView extends CarrierAccountOverview {
  page: Page
  /** `/console/carriers/…` */
  path: string
  /** The simulator's account is always there. */
  isFixed: boolean
}

export function carrierPath(accountId: string): string {
  return `${CARRIERS}/${accountId}`
}

export function describePace({ messagesPerSecond, messagesPerSecondPerLine }: CarrierAccount): string {
  const limits = [
    ...(messagesPerSecondPerLine === null ? [] : [`${messagesPerSecondPerLine}/s a line`]),
    ...(messagesPerSecond === null ? [] : [`${messagesPerSecond}/s in total`]),
  ]
  return limits.length === 0 ? 'no limit' : limits.join(', ')
}
