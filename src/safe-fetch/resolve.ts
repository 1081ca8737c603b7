import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { isIP } from 'node:net'
import { type AddressRange, isForbiddenAddress } from './addresses.js'
import { Fault } from './failures.js'

/** The shape of `dns.lookup` with `all: true`. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface Guard {
  lookup: Lookup
  allowed: readonly AddressRange[]
}

/**
 * Every address of a host (a name or an address), all of them checked. One forbidden address forbids the host, because chance
 * and the network decide which address is dialled. Dial what this returns and never the name, because a second look-up may
 * answer differently (DNS rebinding).
 *
 * @throws Fault `dns` or `blocked_address`
 */
export async function checkedAddresses(
  host: string,
  guard: Guard,
  timeoutMs: number,
): Promise<LookupAddress[]> {
  const addresses = isIP(host) === 0 ? await lookUp(host, guard.lookup, timeoutMs) : [host]
  if (addresses.some((address) => isForbiddenAddress(address, guard.allowed))) throw blocked(host)
  return addresses.map((address) => ({ address, family: isIP(address) }))
}

/**
 * The message leaves out the address, because only people in the operator's network may know what a name resolves to.
 */
export function blocked(host: string): Fault {
  const what = isIP(host) === 0 ? `The name ${host} resolves to an address that is` : `The address ${host} is`
  return new Fault('blocked_address', `${what} not on the public internet. Use a publicly reachable one.`)
}

function lookUp(host: string, lookup: Lookup, timeoutMs: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const unresolved = (cause?: Error) => {
      reject(
        new Fault('dns', `The name ${host} could not be resolved right now. Try again in a minute.`, cause),
      )
    }
    const timer = setTimeout(unresolved, timeoutMs)
    lookup(host, { all: true }, (error, addresses) => {
      clearTimeout(timer)
      if (error?.code === 'ENOTFOUND' || (error === null && addresses.length === 0)) {
        const advice = 'check its spelling, or wait until its DNS record is published'
        reject(new Fault('dns', `The name ${host} has no address: ${advice}.`, error))
      } else if (error) {
        unresolved(error)
      } else {
        resolve(addresses.map(({ address }) => address))
      }
    })
  })
}
