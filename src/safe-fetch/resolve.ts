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
  /** Ranges that the operator allows although they are not public. */
  allowed: readonly AddressRange[]
}

/**
 * Every address behind a host (a name or a literal), all of them checked: one forbidden address forbids the host,
 * because which of them is dialled is up to chance and the network. Dial what this returns and never the name:
 * a second look-up may answer differently (DNS rebinding).
 * Throws a Fault: `dns` or `blocked_address`.
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

/** Does not tell the address, because only people in the operator's network may know what a name stands for. */
export function blocked(host: string): Fault {
  const what = isIP(host) === 0 ? `The name ${host} leads to an address that is` : `The address ${host} is`
  return new Fault(
    'blocked_address',
    `${what} not on the public internet: use one that is reachable from everywhere.`,
  )
}

function lookUp(host: string, lookup: Lookup, timeoutMs: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const unresolved = (cause?: Error) => {
      reject(
        new Fault('dns', `The name ${host} could not be resolved just now: try again in a minute.`, cause),
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
