import ipaddr from 'ipaddr.js'

/** The network that counts as one person. In IPv6 a customer has a /64 at least, so all of its addresses count as one. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString()
}
