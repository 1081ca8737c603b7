import { setTimeout as sleep } from 'node:timers/promises'
import { asError } from '../../errors.js'
import type { Logger } from '../../telemetry/log.js'
import { NotBound } from './connect.js'
import { createIntake, type Handle, type Intake } from './intake.js'
import { reconnectMs } from './reconnect.js'
import { openSession, type Patience, type Session } from './session.js'
import type { SmppSettings } from './settings.js'

export interface Receiver {
  /** Sessions that are open here. */
  openSessionIds(): string[]
  /** Takes nothing more, ends what it holds, and unbinds. */
  close(): Promise<void>
}

export interface ReceiverOptions {
  settings: SmppSettings
  log: Logger
  handle: Handle
  /** The SMSC has certainly read the answers to these. */
  confirm: (ids: string[]) => Promise<void>
  patience?: Patience
}

/** Keeps as many transceiver binds as the account has, each bound again whenever it ends. */
export function startReceiver({ settings, log, handle, confirm, patience }: ReceiverOptions): Receiver {
  /** First no more binds are made; when those that there are have ended, whatever is left of one is cut. */
  const stopping = new AbortController()
  const cutting = new AbortController()
  const isStopping = () => stopping.signal.aborted
  const intakes = new Map<Session, Intake>()

  async function bindOnce(): Promise<void> {
    const session = await openSession({
      settings,
      bindAs: 'transceiver',
      signal: cutting.signal,
      onDelivery: (session, pdu, body) => {
        intakeOf(session).take(pdu, body)
      },
      ...(patience ? { patience } : {}),
    })
    intakeOf(session)
    log.info({ sessionId: session.id }, 'smpp.receiver_bound')
    const reason = await session.ended
    intakes.delete(session)
    log.info({ sessionId: session.id, reason: reason.message }, 'smpp.receiver_unbound')
  }

  /** An SMSC may bring the first message with its answer to the bind. */
  function intakeOf(session: Session): Intake {
    const intake = intakes.get(session) ?? createIntake({ session, log, handle, confirm })
    intakes.set(session, intake)
    return intake
  }

  async function keepBound(): Promise<void> {
    let failureCount = 0
    while (!isStopping()) {
      try {
        await bindOnce()
        failureCount = 0
      } catch (error) {
        if (!(error instanceof NotBound)) log.error({ err: asError(error) }, 'smpp.receiver_failed')
        else if (!isStopping()) log.warn({ reason: error.message, failureCount }, 'smpp.not_bound')
        failureCount += 1
      }
      // After a bind that ended too: an SMSC may let us in only to throw us out.
      const waitMs = reconnectMs(Math.max(failureCount, 1), Math.random())
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const binds = Array.from({ length: settings.bindCount }, keepBound)
  return {
    openSessionIds: () => [...intakes.keys()].filter((each) => each.isOpen()).map(({ id }) => id),
    close: async () => {
      stopping.abort()
      const open = [...intakes]
      await Promise.all(
        open.map(async ([session, intake]) => {
          await intake.drain()
          await session.close()
        }),
      )
      cutting.abort()
      await Promise.all(binds)
    },
  }
}
