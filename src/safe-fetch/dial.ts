import type { LookupAddress } from 'node:dns'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import { asError } from '../errors.js'
import { isForbiddenAddress } from './addresses.js'
import { Fault, type FetchFailureName } from './failures.js'
import { noteOpening, PhaseClock } from './phases.js'
import { blocked, checkedAddresses, type Guard } from './resolve.js'
import { bareHost } from './urls.js'

/**
 * How long one of a host's addresses may take before the next is tried. After Node's 250 ms an address is given up for
 * good (nodejs/node#54359), so a host that is far away could be reached only by its last address.
 */
const ADDRESS_ATTEMPT_MS = 1_000

interface Dialler extends Guard {
  /** The milliseconds for name look-up, TCP and TLS together. */
  connectTimeoutMs: number
  secureContext: SecureContext
}

interface Peer {
  host: string
  port: number
  isTls: boolean
  addresses: LookupAddress[]
}

/** Connects to a server by its scheme, name and port, as a URL has them. */
export type Dial = (server: Pick<URL, 'hostname' | 'port' | 'protocol'>) => Promise<Socket>

/**
 * Makes every socket of the guarded client. It checks three things: a host that is an address, every address that a
 * name resolves to, and the address to which the socket is really connected. undici's own `connect.lookup` is not
 * called for hosts that are addresses, and `interceptors.dns()` bypasses it (measured), so neither can be the guard.
 */
export function guardedDial(dialler: Dialler): Dial {
  return async ({ hostname, port, protocol }) => {
    const isTls = protocol === 'https:'
    const host = bareHost({ hostname })
    const deadlineAt = performance.now() + dialler.connectTimeoutMs
    const clock = new PhaseClock()
    if (isIP(host) === 0) clock.begin('dnsMs')
    try {
      const addresses = await checkedAddresses(host, dialler, dialler.connectTimeoutMs)
      clock.begin('connectMs')
      const peer = { host, port: Number(port) || (isTls ? 443 : 80), isTls, addresses }
      const socket = await dial(peer, dialler, deadlineAt - performance.now(), clock)
      noteOpening(socket, clock.phases)
      return socket
    } catch (error) {
      clock.end()
      if (error instanceof Fault) error.phases = clock.phases
      throw error
    }
  }
}

/** Wraps the same function in the shape that undici wants. */
export function connectorOf(dial: Dial): buildConnector.connector {
  return (server, callback) => {
    dial(server).then(
      (socket) => {
        callback(null, socket)
      },
      (error: unknown) => {
        callback(asError(error), null)
      },
    )
  }
}

/** Connects to one of the peer's checked addresses. Rejects with a Fault: `connect`, `tls…` or `blocked_address`. */
function dial(peer: Peer, dialler: Dialler, timeoutMs: number, clock: PhaseClock): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = open(peer, dialler.secureContext)
    let stage: 'connect' | 'tls' = 'connect'
    const fail = (fault: Fault) => {
      clearTimeout(timer)
      socket.destroy()
      reject(fault)
    }
    const timer = setTimeout(() => {
      const limit = `${dialler.connectTimeoutMs / 1_000} s`
      fail(new Fault(stage, `The host ${peer.host} did not complete a connection within ${limit}.`))
    }, timeoutMs)
    // This runs before Node's own listener, which writes the TLS greeting. So not one byte leaves for a forbidden address.
    socket.prependOnceListener('connect', () => {
      stage = 'tls'
      if (peer.isTls) clock.begin('tlsMs')
      if (isForbiddenAddress(socket.remoteAddress ?? '', dialler.allowed)) fail(blocked(peer.host))
    })
    socket.once(peer.isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      clock.end()
      resolve(socket)
    })
    socket.once('error', (error) => {
      fail(stage === 'connect' ? unreachable(peer, error) : untrusted(peer, error))
    })
    socket.on('error', dropAbortedRequest)
  })
}

/** Options of a socket that is connected to one of these addresses, whatever its host's name resolves to. */
export function onlyAt(addresses: LookupAddress[]) {
  return {
    lookup: (_host: string, _options: unknown, answer: (error: null, addresses: LookupAddress[]) => void) => {
      answer(null, addresses)
    },
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
  }
}

function open({ host, port, isTls, addresses }: Peer, secureContext: SecureContext): Socket {
  const target = { host, port, ...onlyAt(addresses) }
  if (!isTls) return connectTcp(target).setNoDelay(true)
  return connectTls({
    ...target,
    // A server name is never an address (RFC 6066 §3). With an empty name the certificate is compared with `host`.
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    secureContext,
    // Without this line NODE_TLS_REJECT_UNAUTHORIZED=0 would switch the check off.
    rejectUnauthorized: true,
  }).setNoDelay(true)
}

/**
 * undici 7.30.2 dials the origin once more after each request that is aborted on an open connection (measured;
 * nodejs/undici#5845). When it sees its own UND_ERR_INFO, it puts the aborted request back in the queue. With any other code
 * it drops the request. This listener was added before undici's, so it can change the code first.
 */
function dropAbortedRequest(error: NodeJS.ErrnoException): void {
  if (error.code === 'UND_ERR_INFO' && error.message === 'aborted') error.code = 'UND_ERR_ABORTED'
}

function unreachable({ host, port }: Peer, error: NodeJS.ErrnoException): Fault {
  const what = error.code === 'ECONNREFUSED' ? 'refused the connection' : 'could not be reached'
  return new Fault('connect', `The host ${host} ${what} on port ${port}.`, error)
}

function untrusted({ host, port }: Peer, error: NodeJS.ErrnoException): Fault {
  const code = error.code ?? ''
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return new Fault('tls_not_spoken', `The host ${host} does not speak TLS on port ${port}.`, error)
  }
  const known = CERTIFICATE_FAULTS[code]
  if (known === undefined) return new Fault('tls', `The TLS handshake with ${host} failed.`, error)
  const [failure, what] = known
  return new Fault(failure, `The certificate of ${host} ${what}.`, error)
}

const INCOMPLETE = ['tls_untrusted', 'is sent without its intermediate certificates'] as const
const CERTIFICATE_FAULTS: Partial<Record<string, readonly [FetchFailureName, string]>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls_wrong_host', 'is for another name'],
  CERT_HAS_EXPIRED: ['tls_expired', 'has expired'],
  CERT_NOT_YET_VALID: ['tls_untrusted', 'is not valid yet'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls_self_signed', 'is self-signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['tls_untrusted', 'is issued by an authority that is not publicly trusted'],
  UNABLE_TO_GET_ISSUER_CERT: INCOMPLETE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: INCOMPLETE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: INCOMPLETE,
}
