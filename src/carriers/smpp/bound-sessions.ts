import { asError } from '../../errors.js'
import type { Logger } from '../../telemetry/log.js'
import { carrierBinds } from '../../telemetry/metrics.js'
import type { SessionsState } from '../listening.js'
import { NotBound } from './connect.js'
import { createIntake, type Handle, type Intake, type KeepUnclear } from './intake.js'
import { TIMEOUTS, type BindKind, type Session, type SessionOptions, type Timeouts } from './session.js'
import type { SmppSettings } from './settings.js'

/** The sessions of an account that are bound now, and the last fault of one that was, or should be. */
export interface BoundSessions {
  /** Opens a session by `open`, and adds it to those in use. */
  enter(kind: BindKind, open: (options: Omit<SessionOptions, 'hosts'>) => Promise<Session>): Promise<Session>
  /** Resolves when the session has ended, and is no longer in use. */
  stay(kind: BindKind, session: Session): Promise<void>
  noteFailure(kind: BindKind, error: unknown, failureCount: number): void
  /** Returns the session for sending that has the least to do. */
  findFreest(): Session | undefined
  openIds(): string[]
  /** Counts those of these kinds, or of all kinds. */
  count(kinds?: readonly BindKind[]): number
  fault(): SessionsState['fault']
  /** Finishes what they hold, and unbinds them. */
  close(): Promise<void>
}

export interface BoundSessionsOptions {
  /** The account's name. */
  name: string
  settings: SmppSettings
  log: Logger
  handle: Handle
  keepUnclear: KeepUnclear
  /** Called when the SMSC has certainly read the answers to these. */
  confirm: (ids: string[]) => Promise<void>
  /** Called when the number of sessions or the fault has changed. */
  onChange?: () => void
  timeouts?: Timeouts
}

/**
 * @param cut cuts the sessions that are left
 * @param isStopping if true, the end of a session is no fault
 */
export function createBoundSessions(
  options: BoundSessionsOptions,
  cut: AbortSignal,
  isStopping: () => boolean,
): BoundSessions {
  const { name, settings, log, onChange = () => undefined, timeouts = TIMEOUTS } = options
  const bound = new Map<Session, { kind: BindKind; intake: Intake }>()
  let fault: SessionsState['fault']

  function countBind(kind: BindKind, outcome: 'bound' | 'refused' | 'ended'): void {
    carrierBinds.inc({ carrier: name, bind_as: kind, outcome })
  }

  function noteFault(kind: BindKind, text: string): void {
    fault = { text: kind === 'transceiver' ? text : `as ${kind}: ${text}`, at: performance.now() }
    onChange()
  }

  return {
    enter: async (kind, open) => {
      // An SMSC may send the first message together with its answer to the bind.
      let intake: Intake | undefined
      const intakeOf = (session: Session) => (intake ??= createIntake({ ...options, session }))
      const session = await open({
        settings,
        bindAs: kind,
        signal: cut,
        onDelivery: (session, pdu, body) => {
          intakeOf(session).take(pdu, body)
        },
        onUnreadable: (session, received) => {
          intakeOf(session).takeUnreadable(received)
        },
        timeouts,
      })
      bound.set(session, { kind, intake: intakeOf(session) })
      countBind(kind, 'bound')
      log.info({ sessionId: session.id, bindAs: kind }, 'smpp.bound')
      onChange()
      return session
    },
    stay: async (kind, session) => {
      const reason = await session.ended
      bound.delete(session)
      countBind(kind, 'ended')
      log.info({ sessionId: session.id, bindAs: kind, reason: reason.message }, 'smpp.unbound')
      if (!isStopping()) noteFault(kind, reason.message)
    },
    noteFailure: (kind, error, failureCount) => {
      countBind(kind, 'refused')
      if (!(error instanceof NotBound)) log.error({ err: asError(error) }, 'smpp.bind_failed')
      else log.warn({ bindAs: kind, reason: error.message, failureCount }, 'smpp.not_bound')
      noteFault(kind, asError(error).message)
    },
    findFreest: () => {
      const [freest] = [...bound]
        .filter(([session, { kind }]) => kind !== 'receiver' && session.isOpen())
        .map(([session]) => session)
        .sort((a, b) => a.requestCount() - b.requestCount())
      return freest
    },
    openIds: () => [...bound.keys()].filter((each) => each.isOpen()).map(({ id }) => id),
    count: (kinds) => [...bound.values()].filter(({ kind }) => kinds?.includes(kind) ?? true).length,
    fault: () => fault,
    close: async () => {
      await Promise.all(
        [...bound].map(async ([session, { intake }]) => {
          await intake.drain()
          await session.close()
        }),
      )
    },
  }
}
