import { setTimeout as sleep } from 'node:timers/promises'
import { asError, Unavailable } from '../../errors.js'
import { carrierBinds } from '../../telemetry/metrics.js'
import type { Listener, ListenTools } from '../listening.js'
import { NotBound } from '../smpp/connect.js'
import { reconnectMs } from '../smpp/reconnect.js'
import { createBell } from './bell.js'
import { createChannel } from './channel.js'
import { cutCenter, emptyMemory } from './inbox.js'
import { createModem, type ReadyModem } from './modem.js'
import { ModemFault, openPort } from './port.js'
import { createReports } from './reports.js'
import type { ModemSettings } from './settings.js'
import { readNetwork, setUpModem } from './setup.js'

/** A modem that tells of new texts is still looked at, because it may forget to. */
const LOOK_MS = 30_000
/** How often a modem that tells nothing is asked for texts, and one without a network whether it has one. */
const LOOK_OFTEN_MS = 5000
/** A stick that is plugged in again is noticed after this. */
const MAX_REOPEN_MS = 5000
/** A modem that hangs must not keep a process from ending. */
const CLOSE_MS = 5000

/** Holds a modem, in both directions, and opens it again whenever it ends. */
export function listenToModem(
  { name }: { name: string },
  settings: ModemSettings,
  tools: ListenTools,
): Listener {
  const { log, hosts, onChange } = tools
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
  const reports = createReports(settings, tools)

  /** One life of the port. Throws the reason of its end. */
  async function hold(): Promise<void> {
    const bell = createBell()
    const memoriesTold = new Set<string>()
    const port = await openPort(settings, hosts)
    closePort = () => {
      port.close()
    }
    const life: { lost?: Error } = {}
    const giveUp = (reason: Error) => {
      life.lost ??= reason
      port.close()
    }
    const ended = port.ended.then((reason) => {
      life.lost ??= reason
      bell.ring()
    })
    const channel = createChannel(port, {
      onStored: (memory) => {
        memoriesTold.add(memory)
        bell.ring()
      },
      onPdu: (hex, length) => {
        reports.add(cutCenter(hex, length))
      },
    })
    try {
      const { memories, isTold } = await setUpModem(channel, settings, tools)
      while (!isStopping() && life.lost === undefined) {
        bell.silence()
        const leave = await channel.enter()
        const network = await readNetwork(channel).finally(() => leave?.())
        if (network.isRegistered) enter({ channel, giveUp, onLate: reports.addLate }, network.words)
        else change({ fault: network.words })
        let takenCount = 0
        for (const memory of new Set([...memories, ...memoriesTold]))
          takenCount += await emptyMemory(channel, memory, settings, tools).catch(orUnavailable)
        // After a full memory there is more in the network.
        if (takenCount === 0)
          await bell.wait(isTold && network.isRegistered ? LOOK_MS : LOOK_OFTEN_MS, stopping.signal)
      }
    } finally {
      port.close()
      await ended
    }
    if (life.lost !== undefined) throw life.lost
  }

  function enter(modem: ReadyModem, words: string): void {
    if (ready === undefined) {
      count('bound')
      log.info('modem.ready')
    }
    change({ ready: modem, details: words })
  }

  /** Texts stay in the modem while Postgres is away. */
  function orUnavailable(error: unknown): number {
    if (!(error instanceof Unavailable)) throw error
    log.warn({ reason: error.message }, 'modem.texts_wait')
    return 0
  }

  async function run(): Promise<void> {
    for (let failures = 0; !isStopping();) {
      try {
        await hold()
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
      await reports.close()
    },
  }
}
