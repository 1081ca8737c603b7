import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { asError } from '../../errors.js'
import type { Logger } from '../../telemetry/log.js'
import { carrierBinds } from '../../telemetry/metrics.js'
import type { SessionsState } from '../listening.js'
import { NotBound, type Hosts } from './connect.js'
import { createIntake, type Handle, type Intake } from './intake.js'
import type { Pdu, PduFields } from './pdu.js'
import { reconnectMs } from './reconnect.js'
import { keepListening } from './outbind.js'
import {
  bindKindsOf,
  dialledKindsOf,
  openSession,
  TIMEOUTS,
  type BindKind,
  type Timeouts,
  type Session,
  type SessionOptions,
} from './session.js'
import type { SmppSettings } from './settings.js'

/** The sessions of an account, in both directions. */
export interface Sessions {
  /**
   * Sends a request through the session that has the least to do.
   *
   * @throws NotBound, NoAnswer
   */
  request(command: string, fields: PduFields, signal: AbortSignal): Promise<Pdu>
  openSessionIds(): string[]
  state(): SessionsState
  /** Accepts nothing new, finishes what it holds, and unbinds. */
  close(): Promise<void>
}

export interface SessionsOptions {
  /** The account's name. */
  name: string
  settings: SmppSettings
  hosts: Hosts
  log: Logger
  handle: Handle
  /** Called when the SMSC has certainly read the answers to these. */
  confirm: (ids: string[]) => Promise<void>
  /** Called when `state()` has changed. */
  onChange?: () => void
  timeouts?: Timeouts
}

/**
 * The longest that a message waits for a session: longer than binding again takes, and less than its claim's lease of
 * 15 s.
 */
const MAX_WAIT_MS = 10_000

/** Keeps as many sessions as the account's settings ask for, each bound again whenever it ends. */
export function holdSessions(options: SessionsOptions): Sessions {
  const { name, settings, hosts, log, handle, confirm, onChange = () => undefined } = options
  const { timeouts = TIMEOUTS } = options
  /** Closing first makes no more binds. When the existing sessions have ended, it cuts the rest. */
  const stopping = new AbortController()
  const cutting = new AbortController()
  // Each connection listens to these signals.
  setMaxListeners(0, stopping.signal, cutting.signal)
  const isStopping = () => stopping.signal.aborted
  const kinds = Array.from({ length: settings.bindCount }, () => dialledKindsOf(settings)).flat()
  const bound = new Map<Session, { kind: BindKind; intake: Intake }>()
  /** The binds for sending that are under way and have not failed. Messages wait for them. */
  const awaited = new Set<Promise<unknown>>()
  let fault: SessionsState['fault']

  function countBind(kind: BindKind, outcome: 'bound' | 'refused' | 'ended'): void {
    carrierBinds.inc({ carrier: name, bind_as: kind, outcome })
  }

  function noteFault(kind: BindKind, text: string): void {
    fault = { text: kind === 'transceiver' ? text : `as ${kind}: ${text}`, at: performance.now() }
    onChange()
  }

  /** Adds a session that `open` opens to those in use. */
  async function enter(
    kind: BindKind,
    open: (options: Omit<SessionOptions, 'hosts'>) => Promise<Session>,
  ): Promise<Session> {
    // An SMSC may send the first message together with its answer to the bind.
    let intake: Intake | undefined
    const intakeOf = (session: Session) => (intake ??= createIntake({ session, log, handle, confirm }))
    const session = await open({
      settings,
      bindAs: kind,
      signal: cutting.signal,
      onDelivery: (session, pdu, body) => {
        intakeOf(session).take(pdu, body)
      },
      timeouts,
    })
    bound.set(session, { kind, intake: intakeOf(session) })
    countBind(kind, 'bound')
    log.info({ sessionId: session.id, bindAs: kind }, 'smpp.bound')
    onChange()
    return session
  }

  async function stay(kind: BindKind, session: Session): Promise<void> {
    const reason = await session.ended
    bound.delete(session)
    countBind(kind, 'ended')
    log.info({ sessionId: session.id, bindAs: kind, reason: reason.message }, 'smpp.unbound')
    if (!isStopping()) noteFault(kind, reason.message)
  }

  function noteFailure(kind: BindKind, error: unknown, failureCount: number): void {
    countBind(kind, 'refused')
    if (!(error instanceof NotBound)) log.error({ err: asError(error) }, 'smpp.bind_failed')
    else log.warn({ bindAs: kind, reason: error.message, failureCount }, 'smpp.not_bound')
    noteFault(kind, asError(error).message)
  }

  async function bind(kind: BindKind, waitMs: number): Promise<Session> {
    await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    if (isStopping()) throw new NotBound('this process is stopping')
    return enter(kind, (given) => openSession({ ...given, hosts }))
  }

  async function keepBound(kind: BindKind): Promise<void> {
    let failureCount = 0
    let waitMs = 0
    while (!isStopping()) {
      const binding = bind(kind, waitMs)
      if (kind !== 'receiver' && failureCount === 0) noteAwaited(binding)
      try {
        const session = await binding
        failureCount = 0
        await stay(kind, session)
      } catch (error) {
        if (isStopping()) return
        failureCount += 1
        noteFailure(kind, error, failureCount)
      }
      // There is a wait even after a successful bind, because an SMSC may end each session immediately.
      waitMs = reconnectMs(Math.max(failureCount, 1), Math.random())
    }
  }

  function noteAwaited(binding: Promise<unknown>): void {
    const isOver = () => awaited.delete(binding)
    awaited.add(binding)
    binding.then(isOver, isOver)
  }

  function findFreest(): Session | undefined {
    const [freest] = [...bound]
      .filter(([session, { kind }]) => kind !== 'receiver' && session.isOpen())
      .map(([session]) => session)
      .sort((a, b) => a.requestCount() - b.requestCount())
    return freest
  }

  const listeningKinds = bindKindsOf(settings).filter((kind) => !dialledKindsOf(settings).includes(kind))
  const listening = listeningKinds.map((kind) =>
    keepListening({
      ...{ settings, log, timeouts, stop: stopping.signal, cut: cutting.signal },
      stay: async (open) => stay(kind, await enter(kind, open)),
      noteFailure: (error, failureCount) => {
        noteFailure(kind, error, failureCount)
      },
    }),
  )
  const binds = [...kinds.map(keepBound), ...listening]

  /** An SMSC that connects may have nothing to deliver for hours; but without a session, nothing can be sent. */
  function wantedCount(): number {
    const dialledCount = kinds.length
    const incoming = [...bound.values()].filter(({ kind }) => listeningKinds.includes(kind)).length
    return Math.max(1, dialledCount + incoming)
  }

  return {
    request: async (command, fields, signal) => {
      // There must be no await here: each of many concurrent calls must see the requests of those before it.
      const session = findFreest()
      if (session !== undefined) return session.request(command, fields, signal)
      const askedAt = performance.now()
      if (awaited.size > 0) await Promise.race(awaited).catch(() => undefined)
      const late = findFreest()
      // The process was suspended, as in the window of a link.
      if (performance.now() - askedAt > MAX_WAIT_MS) throw new NotBound('bound too late')
      if (late === undefined) throw new NotBound(fault?.text ?? 'not bound')
      return late.request(command, fields, signal)
    },
    openSessionIds: () => [...bound.keys()].filter((each) => each.isOpen()).map(({ id }) => id),
    state: () => ({ boundCount: bound.size, sessionCount: wantedCount(), fault }),
    close: async () => {
      stopping.abort()
      await Promise.all(
        [...bound].map(async ([session, { intake }]) => {
          await intake.drain()
          await session.close()
        }),
      )
      cutting.abort()
      await Promise.all(binds)
    },
  }
}
