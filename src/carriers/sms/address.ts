import type { CarrierAddress } from '../listening.js'

const INTERNATIONAL = 1
/** These are the types for unknown, national and subscriber numbers. */
const LOCAL = new Set([undefined, 0, 2, 4])
/** A number with fewer digits is a short code, whatever its type says. */
const LOCAL_DIGITS = 7
const UNKNOWN = 0
/** Some SMSCs write the prefix 00 for calls abroad. No country code begins with 0. */
const ABROAD = /^00(?=[1-9]\d{6})/

/** @param ton its type of number (3GPP TS 23.040 §9.1.2.5, which SMPP has too) */
export function readAddress(address: string, ton: number | undefined): CarrierAddress {
  const digits = address.replace(/^\+/, '')
  if (!/^\d+$/.test(digits)) return { address, kind: 'other' }
  if (digits.length < LOCAL_DIGITS) return { address: digits, kind: 'other' }
  const isAbroad = (ton ?? UNKNOWN) === UNKNOWN && ABROAD.test(digits)
  if (ton === INTERNATIONAL || address.startsWith('+') || isAbroad) {
    return { address: `+${digits.replace(/^00/, '')}`, kind: 'international' }
  }
  return { address, kind: LOCAL.has(ton) ? 'local' : 'other' }
}
