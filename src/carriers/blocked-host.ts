import type { FetchFailed } from '../safe-fetch.js'

/** For operators: why a carrier's host could not be called, and what they alone can do about one that is in their network. */
export function explainBlockedCarrier({ failure, message }: FetchFailed): string {
  if (failure !== 'blocked_address') return message
  return `${message} If the carrier is in your own network, allow its addresses with ALLOWED_CARRIER_CIDRS.`
}
