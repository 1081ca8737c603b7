import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { isInRanges } from '../../safe-fetch.js'
import { isSameSecret } from '../../secrets.js'
import { asError } from '../../errors.js'
import type { Logger } from '../../telemetry/log.js'
import { NotBound } from './connect.js'
import { textField, type Pdu } from './pdu.js'
import { reconnectMs } from './reconnect.js'
import { answerOutbind, type Timeouts, type Session, type SessionOptions } from './session.js'
import { linesOf, readNetwork } from './setting-lines.js'
import type { SmppSettings } from './settings.js'

/** Bounds the memory. */
const MAX_STRANGERS_NOTED = 1000
/**
 * The most connections, besides the sessions, of peers that have not identified themselves yet. Any more are closed
 * immediately.
 */
const MAX_STRANGERS = 10

/**
 * Listens for connections of the SMSC. A peer from an address that the account does not list is cut off immediately.
 *
 * @param options.stop no more connections are accepted
 * @param options.cut the remaining connections are cut
 * @returns when everything is closed
 * @throws NotBound if the port cannot be listened on
 */
async function acceptOutbinds(
  settings: SmppSettings,
  options: {
    stop: AbortSignal
    cut: AbortSignal
    handshakeMs: number
    onListening: () => void
    onSocket: (socket: Socket) => void
    onStranger: (address: string) => void
  },
): Promise<void> {
  const { outbindPort: port, outbindFrom, tls, bindCount } = settings
  const allowed = linesOf(outbindFrom).map(readNetwork)
  const server = openServer(settings, options.handshakeMs)
  server.maxConnections = bindCount + MAX_STRANGERS
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined)
    const { remoteAddress = '' } = socket
    if (!isInRanges(remoteAddress, allowed)) {
      socket.destroy()
      options.onStranger(remoteAddress)
      return
    }
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // A handshake that fails, or takes too long, leaves the connection open.
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    if (socket.destroyed) return
    socket.setNoDelay(true)
    options.onSocket(socket)
  })
  await new Promise<void>((resolve, reject) => {
    const close = () => {
      server.close(() => {
        resolve()
      })
    }
    const cutAll = () => {
      for (const socket of sockets) socket.destroy()
    }
    server.on('error', (error) => {
      server.close()
      reject(new NotBound(`cannot listen on port ${port}: ${error.message}`))
    })
    server.listen(port, () => {
      options.onListening()
      options.stop.addEventListener('abort', close, { once: true })
      options.cut.addEventListener('abort', cutAll, { once: true })
      if (options.stop.aborted) close()
      if (options.cut.aborted) cutAll()
    })
  })
}

function openServer({ tls, outbindCertificate, outbindKey }: SmppSettings, handshakeMs: number): Server {
  if (!tls) return createTcpServer()
  try {
    return createTlsServer({ cert: outbindCertificate, key: outbindKey, handshakeTimeout: handshakeMs })
  } catch (error) {
    throw new NotBound(`outbindCertificate and outbindKey cannot be used: ${asError(error).message}`)
  }
}

/** Describes the fault in an outbind, without its contents. */
function faultInOutbind(
  outbind: Pdu,
  { outbindSystemId, outbindPassword }: SmppSettings,
): string | undefined {
  if (outbindSystemId !== '' && textField(outbind, 'system_id') !== outbindSystemId)
    return 'the system ID in its outbind is not outbindSystemId'
  if (!isSameSecret(textField(outbind, 'password'), outbindPassword))
    return 'the password in its outbind is not outbindPassword'
  return undefined
}

export interface ListeningOptions {
  settings: SmppSettings
  log: Logger
  timeouts: Timeouts
  /** After `stop` no more connections are accepted; after `cut` the remaining ones are cut. */
  stop: AbortSignal
  cut: AbortSignal
  /**
   * Opens a session, and resolves when it has ended.
   *
   * @throws NotBound
   */
  stay: (open: (options: Omit<SessionOptions, 'hosts'>) => Promise<Session>) => Promise<void>
  noteFailure: (error: unknown, failureCount: number) => void
}

/**
 * Listens for connections of the SMSC until `stop`. It opens as many sessions as it likes, but `bindCount` at most.
 * If the port cannot be listened on, it tries again.
 */
export async function keepListening(options: ListeningOptions): Promise<void> {
  const { settings, log, timeouts, stop, cut, noteFailure } = options
  const onStranger = strangersOf(log)
  const stays = new Set<Promise<void>>()
  /** The connections that have sent the right outbind. */
  const places = new Set<Socket>()
  const isStopping = () => stop.aborted
  let failureCount = 0

  /** Never fails. */
  async function admit(socket: Socket): Promise<void> {
    const faultIn = (outbind: Pdu) => {
      const fault = isStopping() ? 'this process is stopping' : faultInOutbind(outbind, settings)
      if (fault !== undefined) return fault
      if (places.size >= settings.bindCount) return `it already has ${places.size} sessions (bindCount)`
      places.add(socket)
      return undefined
    }
    try {
      await options.stay((given) => answerOutbind(socket, { ...given, faultIn }))
    } catch (error) {
      if (!isStopping()) noteFailure(error, 1)
    } finally {
      places.delete(socket)
    }
  }

  while (!isStopping()) {
    try {
      await acceptOutbinds(settings, {
        ...{ stop, cut, onStranger, handshakeMs: timeouts.outbindMs },
        onListening: () => {
          failureCount = 0
          log.info({ port: settings.outbindPort }, 'smpp.listening')
        },
        onSocket: (socket) => {
          const staying = admit(socket).finally(() => stays.delete(staying))
          stays.add(staying)
        },
      })
    } catch (error) {
      if (isStopping()) break
      failureCount += 1
      noteFailure(error, failureCount)
      await sleep(reconnectMs(failureCount, Math.random()), undefined, { signal: stop }).catch(
        () => undefined,
      )
    }
  }
  await Promise.all(stays)
}

/** Logs each address once, because anyone can connect to an open port. */
function strangersOf(log: Logger): (address: string) => void {
  const noted = new Set<string>()
  return (address) => {
    if (noted.has(address)) return
    if (noted.size >= MAX_STRANGERS_NOTED) noted.clear()
    noted.add(address)
    log.warn({ address }, 'smpp.outbind_address_refused')
  }
}
