import { keepCompiled } from './compile-cache.js'
import { hideKnownWarnings } from './foreign-warnings.js'

/** The signals that ask a process to stop; SIGHUP comes from a terminal that was closed. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/**
 * A new `npm start` waits 3 s for ports held by its predecessor's orphans (`dev/start/start.ts`). A check costs one
 * system call.
 */
const STARTER_CHECK_MS = 500

type Stop = (reason: string) => void

/** Until a process calls onStopRequest, there is nothing to close. */
let stop: Stop = () => process.exit(0)
let isListening = false

/**
 * A process calls this first: from here on it ends with 0 when it is asked to stop, even while it is still loading.
 * Its first file imports only this one, and this one hardly anything, because Node reads all imports before anything
 * runs: that takes most of a second, and longer on a slow machine.
 */
export async function loadProcess(load: () => Promise<unknown>): Promise<void> {
  listen()
  hideKnownWarnings()
  keepCompiled()
  await load()
}

/** Sets how the process stops from now on; the last call counts. */
export function onStopRequest(handle: Stop): void {
  stop = handle
  listen()
}

/** Stops this process when the one that started it is gone. */
export function stopWithStarter(pid: number): void {
  const timer = setInterval(() => {
    if (isAlive(pid)) return
    clearInterval(timer)
    stop('starter gone')
  }, STARTER_CHECK_MS).unref()
}

function listen(): void {
  if (isListening) return
  isListening = true
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      stop(signal)
    })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
