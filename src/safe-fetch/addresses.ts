import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The address of a network, and the length of its prefix in bits. */
export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The only block that IANA hands out for global IPv6 unicast (RFC 4291 §2.4, IANA's IPv6 address space). */
const GLOBAL_IPV6: AddressRange = ipaddr.parseCIDR('2000::/3')

/**
 * Azure's platform endpoint. The address is public, but it answers only inside Azure, and trusts every caller there.
 */
const AZURE_WIRESERVER = '168.63.129.16'

/**
 * True if an address may not be called. Only global unicast addresses may, and those in `allowed`. Text that is not
 * an address is forbidden. An IPv4-mapped IPv6 address counts as the IPv4 address inside it.
 *
 * ipaddr.js 2.5.0 calls every address `unicast` that is not in its table: the IPv4-compatible `::7f00:1`,
 * 100:0:0:1::/64 (RFC 9780), and unallocated blocks such as 200::/7, which private meshes use. So IPv6 must be in
 * 2000::/3.
 */
export function isForbiddenAddress(ip: string, allowed: readonly AddressRange[] = []): boolean {
  if (!ipaddr.isValid(ip)) return true
  const address = ipaddr.process(ip)
  if (isInRanges(ip, allowed)) return false
  if (address.range() !== 'unicast') return true
  return address.kind() === 'ipv4' ? address.toString() === AZURE_WIRESERVER : !address.match(GLOBAL_IPV6)
}

/** True if an address lies in one of the ranges. Text that is not an address lies in none. */
export function isInRanges(ip: string, ranges: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
}

/**
 * Reads ranges in CIDR notation.
 *
 * @throws TypeError that names the first range that cannot be used
 */
export function parseRanges(cidrs: readonly string[]): AddressRange[] {
  return cidrs.map((cidr) => {
    // ipaddr.js reads "10/8" as 0.0.0.10/8, so an operator's shorthand would silently allow something else.
    const [network = ''] = cidr.split('/')
    if (isIP(network) === 0 || !ipaddr.isValidCIDR(cidr)) {
      throw new TypeError(`${cidr} is not an address range in CIDR notation, such as 10.0.0.0/8 or fd00::/8`)
    }
    const range = ipaddr.parseCIDR(cidr)
    if (range[0] instanceof ipaddr.IPv6 && range[0].isIPv4MappedAddress()) {
      throw new TypeError(`${cidr} never matches: write an IPv4-mapped range as plain IPv4`)
    }
    return range
  })
}
