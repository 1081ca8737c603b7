import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionsState } from '../listening.js'
import { createBoundSessions, type BoundSessionsOptions } from './bound-sessions.js'
import { NotBound, type Hosts } from './connect.js'
import { keepListening } from './outbind.js'
import { failuresAfter, reconnectMs } from './reconnect.js'
import { bindKindsOf, dialledKindsOf, openSession, TIMEOUTS, type BindKind, type Session } from './session.js'

/** The sessions of an account, in both directions. */
export interface Sessions {
  /**
   * Sends a request through the session that has the least to do.
   *
   * @throws NotBound, NoAnswer
   */
  request: Session['request']
  openSessionIds(): string[]
  state(): SessionsState
  /** Accepts nothing new, finishes what it holds, and unbinds. */
  close(): Promise<void>
}

export interface SessionsOptions extends BoundSessionsOptions {
  hosts: Hosts
}

/** How long a message may wait for a session: longer than rebinding takes, but less than its claim's lease of 15 s. */
const MAX_WAIT_MS = 10_000

/** Keeps as many sessions as the account's settings ask for, each bound again whenever it ends. */
export function holdSessions(options: SessionsOptions): Sessions {
  const { settings, hosts, log, timeouts = TIMEOUTS } = options
  /** Closing first makes no more binds. When the existing sessions have ended, it cuts the rest. */
  const stopping = new AbortController()
  const cutting = new AbortController()
  // Each connection listens to these signals.
  setMaxListeners(0, stopping.signal, cutting.signal)
  const isStopping = () => stopping.signal.aborted
  const bound = createBoundSessions(options, cutting.signal, isStopping)
  /** The binds for sending that are under way and have not failed. Messages wait for them. */
  const awaited = new Set<Promise<unknown>>()

  async function bind(kind: BindKind, waitMs: number): Promise<Session> {
    await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    if (isStopping()) throw new NotBound('this process is stopping')
    return bound.enter(kind, (given) => openSession({ ...given, hosts }))
  }

  async function keepBound(kind: BindKind): Promise<void> {
    let failureCount = 0
    let isSoonBound = true
    let waitMs = 0
    while (!isStopping()) {
      const binding = bind(kind, waitMs)
      if (kind !== 'receiver' && isSoonBound) noteAwaited(binding)
      try {
        const session = await binding
        const boundAt = performance.now()
        await bound.stay(kind, session)
        failureCount = failuresAfter(failureCount, performance.now() - boundAt)
        isSoonBound = failureCount <= 1
      } catch (error) {
        if (isStopping()) return
        failureCount += 1
        isSoonBound = false
        bound.noteFailure(kind, error, failureCount)
      }
      waitMs = reconnectMs(Math.max(failureCount, 1), Math.random())
    }
  }

  function noteAwaited(binding: Promise<unknown>): void {
    const isOver = () => awaited.delete(binding)
    awaited.add(binding)
    binding.then(isOver, isOver)
  }

  /**
   * Waits for the first of those binds, at most as long as a message may wait. Several hosts that do not answer may take
   * longer, and the message would be `unknown` although it was never written.
   */
  async function waitForBind(signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const tooLate = sleep(MAX_WAIT_MS, undefined, { signal: AbortSignal.any([signal, over.signal]) })
    await Promise.race([...awaited, tooLate]).catch(() => undefined)
    over.abort()
  }

  const dialledKinds = dialledKindsOf(settings)
  const listeningKinds = bindKindsOf(settings).filter((kind) => !dialledKinds.includes(kind))
  const dialling = Array.from({ length: settings.bindCount }, () => dialledKinds)
    .flat()
    .map(keepBound)
  const listening = listeningKinds.map((kind) =>
    keepListening({
      ...{ settings, log, timeouts, stop: stopping.signal, cut: cutting.signal },
      stay: async (open) => bound.stay(kind, await bound.enter(kind, open)),
      noteFailure: (error, failureCount) => {
        bound.noteFailure(kind, error, failureCount)
      },
    }),
  )

  return {
    request: async (...request) => {
      // There must be no await here: each of many concurrent calls must see the requests of those before it.
      const session = bound.findFreest()
      if (session !== undefined) return session.request(...request)
      const askedAt = performance.now()
      if (awaited.size > 0) await waitForBind(request[2])
      const late = bound.findFreest()
      if (late === undefined) throw new NotBound(bound.fault()?.text ?? 'not bound')
      // The process was suspended, as in the window of a link.
      if (performance.now() - askedAt > MAX_WAIT_MS) throw new NotBound('bound too late')
      return late.request(...request)
    },
    openSessionIds: () => bound.openIds(),
    state: () => ({
      boundCount: bound.count(),
      // An SMSC that connects may have nothing to deliver for hours; but without a session, nothing can be sent.
      sessionCount: Math.max(1, dialling.length + bound.count(listeningKinds)),
      fault: bound.fault(),
    }),
    close: async () => {
      stopping.abort()
      await bound.close()
      cutting.abort()
      await Promise.all([...dialling, ...listening])
    },
  }
}
