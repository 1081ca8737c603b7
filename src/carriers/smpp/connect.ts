import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { SmppSettings } from './settings.js'

/** The SMSC could not be reached, or did not let us in. The message says in words what is wrong. */
export class NotBound extends Error {
  override name = 'NotBound'
}

/** @throws NotBound */
export function connect(
  { host, port, tls, tlsCertificate }: SmppSettings,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const socket: Socket = tls
    ? connectTls({ host, port, servername: host, ...(tlsCertificate === '' ? {} : { ca: tlsCertificate }) })
    : connectTcp({ host, port })
  socket.setNoDelay(true)
  // Later too: without its socket a bind is over.
  const cut = () => socket.destroy()
  signal?.addEventListener('abort', cut)
  socket.once('close', () => {
    signal?.removeEventListener('abort', cut)
  })
  return new Promise((resolve, reject) => {
    const fail = (words: string) => {
      clearTimeout(tooLate)
      socket.destroy()
      reject(new NotBound(`cannot connect to ${host}, port ${port}: ${words}`))
    }
    const tooLate = setTimeout(() => {
      fail(`no answer in ${timeoutMs} ms`)
    }, timeoutMs)
    // Stays on until the link has its own: an error that nobody hears would end the process.
    socket.on('error', (error) => {
      fail(error.message || String((error as NodeJS.ErrnoException).code))
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
