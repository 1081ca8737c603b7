import ipaddr from 'ipaddr.js'

/** Whose address it is: a customer's share of IPv6 is a /64 at least, and each of its addresses is the same somebody. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}
