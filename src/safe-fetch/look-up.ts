import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { asError, hasCode } from '../errors.js'
import type { Lookup } from './resolve.js'

/** The second question waits up to twice as long as the first. Both together are less than a connection may take. */
const FIRST_WAIT_MS = 1_500

/** Once the addresses of one family are there, we do not wait longer for those of the other (RFC 8305 §3). */
const OTHER_FAMILY_MS = 100

/** The name servers do not know the name, or there are no name servers. The system may have other sources. */
const UNKNOWN = ['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'] as const

interface Sources {
  /** As host:port. The default is those of the system. */
  nameServers?: readonly string[]
  /** Looks up what is not in DNS. */
  system?: Lookup
  hostsFile?: string
  firstWaitMs?: number
}

/**
 * Makes a look-up that asks the name servers itself. `dns.lookup` waits for them in threads, of which a process has two
 * for this (libuv keeps the other half of its pool free). So two look-ups of a name with a silent server would keep
 * every other name, whoever it belongs to, waiting until they fail (measured).
 *
 * The system still looks up the names that are not in DNS: those of its hosts file, those without a dot, which it may
 * complete, and those that the name servers do not know. The last may be a user's too, so they take one thread at most.
 *
 * @param sources only tests give them
 */
export function createLookup({
  nameServers,
  system = systemLookup,
  hostsFile = '/etc/hosts',
  firstWaitMs = FIRST_WAIT_MS,
}: Sources = {}): Lookup {
  const hosts = namesIn(hostsFile)
  const open = () => {
    const resolver = new Resolver({ timeout: firstWaitMs, tries: 2 })
    if (nameServers !== undefined) resolver.setServers(nameServers)
    return resolver
  }
  let resolver = open()

  const askSystem = (name: string) =>
    new Promise<LookupAddress[]>((resolve, reject) => {
      system(name, { all: true }, (error, addresses) => {
        if (error === null) resolve(addresses)
        else reject(error)
      })
    })
  const askSystemInTurn = inTurn(askSystem)

  const lookUp = async (name: string): Promise<LookupAddress[]> => {
    if (!name.includes('.') || hosts().has(name.toLowerCase())) return askSystem(name)
    const asked = resolver
    const answers = await answersOf([asked.resolve4(name), asked.resolve6(name)])
    // IPv4 is first, because a machine without IPv6 may be slow to notice that it has none.
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [asError(answer.reason)] : []))
    const serious = errors.find((error) => !hasCode(error, ...UNKNOWN))
    // The resolver has the name servers that the system had when it was made.
    if (serious !== undefined || errors.some((error) => hasCode(error, 'ECONNREFUSED'))) {
      if (resolver === asked) resolver = open()
    }
    if (serious !== undefined) throw serious
    return askSystemInTurn(name)
  }

  return (hostname, _options, callback) => {
    lookUp(hostname).then(
      (addresses) => {
        callback(null, addresses)
      },
      (error: unknown) => {
        callback(asError(error), [])
      },
    )
  }
}

/** Waits for all answers, but only a moment once one of them has addresses: some name servers never answer about IPv6. */
async function answersOf(asked: readonly Promise<string[]>[]): Promise<PromiseSettledResult<string[]>[]> {
  const all = Promise.allSettled(asked)
  const late = new AbortController()
  const enough = Promise.any(asked).then(
    () => sleep(OTHER_FAMILY_MS, undefined, { signal: late.signal }).catch(() => undefined),
    () => all,
  )
  await Promise.race([all, enough])
  late.abort()
  const pending = Promise.reject<string[]>(new Error('no answer yet'))
  return Promise.allSettled(asked.map((each) => Promise.race([each, pending])))
}

/** Does the work for one name after the other. While a name is waiting or being looked up, it is not added again. */
function inTurn<T>(work: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const waiting = new Map<string, Promise<T>>()
  let last: Promise<unknown> = Promise.resolve()
  return (name) => {
    const known = waiting.get(name)
    if (known !== undefined) return known
    const done = last
      .then(() => work(name))
      .finally(() => {
        waiting.delete(name)
      })
    waiting.set(name, done)
    last = done.catch(() => undefined)
    return done
  }
}

/** Returns the names in a hosts file as it is now. */
function namesIn(file: string): () => ReadonlySet<string> {
  let readAt: number | undefined
  let names: ReadonlySet<string> = new Set()
  return () => {
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    if (changedAt !== readAt) {
      readAt = changedAt
      const lines = changedAt === undefined ? [] : readFileSync(file, 'utf8').split('\n')
      names = new Set(
        lines.flatMap((line) => line.replace(/#.*/, '').toLowerCase().trim().split(/\s+/).slice(1)),
      )
    }
    return names
  }
}
