import type { CarrierAccount } from '../../../../domain/carriers/carrier-accounts.js'
import type { CarrierAccountOverview } from '../../../../domain/carriers/accounts/overview.js'
import type { Page } from '../../page.js'

export const CARRIERS = '/console/carriers'

/** The data for every section of an account's page. */
export interface CarrierView extends CarrierAccountOverview {
  page: Page
  /** A path such as `/console/carriers/…`. */
  path: string
  /** True for the simulator's account, which always exists. */
  isFixed: boolean
}

export function carrierPath(accountId: string): string {
  return `${CARRIERS}/${accountId}`
}

export function describePace({ messagesPerSecond, messagesPerSecondPerLine }: CarrierAccount): string {
  const limits = [
    ...(messagesPerSecondPerLine === null ? [] : [`${messagesPerSecondPerLine}/s per line`]),
    ...(messagesPerSecond === null ? [] : [`${messagesPerSecond}/s in total`]),
  ]
  return limits.length === 0 ? 'No limit' : limits.join(', ')
}
