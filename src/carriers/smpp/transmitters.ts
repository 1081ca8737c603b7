import type { Logger } from '../../telemetry/log.js'
import { NotBound } from './connect.js'
import type { Pdu, PduFields } from './pdu.js'
import { reconnectMs } from './reconnect.js'
import { openSession, type Patience, type Session } from './session.js'
import type { SmppSettings } from './settings.js'

/** The binds that messages leave by. None until the first message; more, up to `bindCount`, when windows are full. */
export interface Transmitters {
  /** By the bind that has the least to do. @throws NotBound, NoAnswer */
  request(command: string, fields: PduFields, signal: AbortSignal): Promise<Pdu>
  close(): Promise<void>
}

export function createTransmitters(settings: SmppSettings, log: Logger, patience?: Patience): Transmitters {
  const sessions = new Set<Session>()
  let opening: Promise<Session> | undefined
  let failure: { error: NotBound; count: number; nextTryAt: number } | undefined
  let isClosed = false

  async function open(): Promise<Session> {
    if (isClosed) throw new NotBound('this process is stopping')
    // Not asked again by each of many messages: an SMSC that is starting, or refuses us, is left in peace.
    if (failure && performance.now() < failure.nextTryAt) throw failure.error
    try {
      const session = await openSession({
        settings,
        bindAs: 'transmitter',
        ...(patience ? { patience } : {}),
      })
      failure = undefined
      sessions.add(session)
      log.info({ sessionId: session.id }, 'smpp.transmitter_bound')
      void session.ended.then((reason) => {
        sessions.delete(session)
        log.info({ sessionId: session.id, reason: reason.message }, 'smpp.transmitter_unbound')
      })
      return session
    } catch (error) {
      if (!(error instanceof NotBound)) throw error
      const count = (failure?.count ?? 0) + 1
      failure = { error, count, nextTryAt: performance.now() + reconnectMs(count, Math.random()) }
      log.warn({ reason: error.message, failureCount: count }, 'smpp.not_bound')
      throw error
    }
  }

  function openOne(): Promise<Session> {
    opening ??= open().finally(() => (opening = undefined))
    return opening
  }

  function findFreest(): Session | undefined {
    const [freest] = [...sessions]
      .filter((session) => session.isOpen())
      .sort((a, b) => a.requestCount() - b.requestCount())
    const isFull = freest !== undefined && freest.requestCount() >= settings.windowSize
    // Not waited for: if it does not come about, the windows that there are must do.
    if (isFull && sessions.size < settings.bindCount) openOne().catch(() => undefined)
    return freest
  }

  return {
    request: async (command, fields, signal) => {
      // No await in between: of many at once each must see the requests of those before it.
      const session = findFreest() ?? (await openOne())
      return session.request(command, fields, signal)
    },
    close: async () => {
      isClosed = true
      await opening?.catch(() => undefined)
      await Promise.all([...sessions].map((session) => session.close()))
    },
  }
}
