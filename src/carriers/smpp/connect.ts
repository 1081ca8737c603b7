import type { LookupAddress } from 'node:dns'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { FetchFailed, onlyAt, type SafeFetch } from '../../safe-fetch.js'
import { explainBlockedCarrier } from '../refusals.js'

/** Thrown if the SMSC could not be reached, or refused the bind. The message says in words what is wrong. */
export class NotBound extends Error {
  override name = 'NotBound'
}

interface Peer {
  host: string
  port: number
  tls: boolean
  tlsCertificate: string
}

/** Looks up a host that an operator names; only addresses that may be dialled come back. */
export type Hosts = Pick<SafeFetch, 'resolve'>

/** @throws NotBound */
export async function connect(
  peer: Peer,
  hosts: Hosts,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const deadlineAt = performance.now() + timeoutMs
  const addresses = await findAddresses(peer, hosts, timeoutMs)
  return dial(peer, addresses, Math.ceil(deadlineAt - performance.now()), signal)
}

async function findAddresses(
  { host, port }: Peer,
  hosts: Hosts,
  timeoutMs: number,
): Promise<LookupAddress[]> {
  try {
    return await hosts.resolve(host, timeoutMs)
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    throw notConnected({ host, port }, explainBlockedCarrier(error))
  }
}

function dial(
  { host, port, tls, tlsCertificate }: Peer,
  addresses: LookupAddress[],
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const peer = { host, port, ...onlyAt(addresses) }
  const socket: Socket = tls
    ? connectTls({
        ...peer,
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(tlsCertificate === '' ? {} : { ca: tlsCertificate }),
      })
    : connectTcp(peer)
  // If the caller has given up by then, nothing is dialled.
  if (signal?.aborted === true) socket.destroy()
  socket.setNoDelay(true)
  // An abort during the bind ends the socket, and so the bind.
  const cut = () => socket.destroy()
  signal?.addEventListener('abort', cut)
  socket.once('close', () => {
    signal?.removeEventListener('abort', cut)
  })
  return new Promise((resolve, reject) => {
    const fail = (words: string) => {
      clearTimeout(tooLate)
      socket.destroy()
      reject(notConnected({ host, port }, words))
    }
    const tooLate = setTimeout(() => {
      fail(`no response in ${timeoutMs} ms`)
    }, timeoutMs)
    // This listener stays until the link has its own, because an error without a listener would end the process.
    socket.on('error', (error) => {
      fail(wordsOf(error))
    })
    socket.once('close', () => {
      fail('the connection was closed')
    })
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      clearTimeout(tooLate)
      resolve(socket)
    })
  })
}

function wordsOf({ code = '', syscall, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return `connection refused (${code})`
  // OpenSSL's message is its source file and line.
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'it does not speak TLS'
  // Node's message has the address once more, or, for a name with several addresses, nothing.
  return syscall === 'connect' || message === '' ? code : message
}

function notConnected({ host, port }: Pick<Peer, 'host' | 'port'>, words: string): NotBound {
  return new NotBound(`cannot connect to ${host}, port ${port}: ${words}`)
}
