import { setTimeout as sleep } from 'node:timers/promises'
import { asError, Unavailable } from '../../errors.js'
import { carrierBinds } from '../../telemetry/metrics.js'
import type { Listener, ListenTools } from '../listening.js'
import { NotBound } from '../smpp/connect.js'
import { reconnectMs } from '../smpp/reconnect.js'
import { createUnstored } from '../unstored.js'
import { holdPort } from './hold-port.js'
import { createModem, type ReadyModem } from './modem.js'
import { ModemFault } from './port.js'
import type { ModemSettings } from './settings.js'

/** How soon a stick that was plugged in again is noticed. */
const MAX_REOPEN_MS = 5000
/** A modem that hangs must not keep a process from ending. */
const CLOSE_MS = 5000

/** Holds a modem, in both directions, and opens it again whenever it ends. */
export function listenToModem(
  { name }: { name: string },
  settings: ModemSettings,
  tools: ListenTools,
): Listener {
  const { log, onChange } = tools
  const stopping = new AbortController()
  const isStopping = () => stopping.signal.aborted
  let ready: ReadyModem | undefined
  let closePort: () => void = () => undefined
  let details: string | undefined
  let fault: { text: string; at: number } | undefined

  function change(now: {
    ready?: ReadyModem | undefined
    details?: string | undefined
    fault?: string
  }): void {
    ready = now.ready
    details = now.details
    if (now.fault !== undefined) fault = { text: now.fault, at: performance.now() }
    onChange()
  }

  const count = (outcome: 'bound' | 'refused' | 'ended') => {
    carrierBinds.inc({ carrier: name, bind_as: 'modem', outcome })
  }
  const unstored = createUnstored(tools)

  function enter(modem: ReadyModem, words: string): void {
    if (ready === undefined) {
      count('bound')
      log.info('modem.ready')
    }
    change({ ready: modem, details: words })
  }

  async function run(): Promise<void> {
    for (let failures = 0; !isStopping();) {
      try {
        await holdPort(settings, tools, {
          ...{ unstored, signal: stopping.signal },
          onOpen: (close) => (closePort = close),
          onReady: enter,
          onNoNetwork: (words) => {
            change({ fault: words })
          },
        })
      } catch (error) {
        if (isStopping()) break
        const reason = asError(error)
        const wasReady = ready !== undefined
        failures = wasReady ? 1 : failures + 1
        count(wasReady ? 'ended' : 'refused')
        if (error instanceof ModemFault || error instanceof NotBound || error instanceof Unavailable)
          log.warn({ reason: reason.message, failures }, 'modem.lost')
        else log.error({ err: reason }, 'modem.failed')
        change({ fault: reason.message })
        const waitMs = Math.min(reconnectMs(failures, Math.random()), MAX_REOPEN_MS)
        await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
    change({})
  }

  const running = run()
  return {
    carrier: createModem(name, settings, { findModem: () => ready, fault: () => fault?.text }),
    concurrency: 1,
    openSessionIds: () => [],
    state: () => ({ boundCount: ready === undefined ? 0 : 1, sessionCount: 1, fault, details }),
    close: async () => {
      stopping.abort()
      const timer = setTimeout(() => {
        closePort()
      }, CLOSE_MS)
      await running.finally(() => {
        clearTimeout(timer)
      })
      await unstored.close()
    },
  }
}
