import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { hasCode } from '../../src/errors.js'

export interface ServiceCommand {
  name: string
  command: string
  args: string[]
  cwd: string
  env: NodeJS.ProcessEnv
  account?: { uid: number; gid: number } | undefined
  logPath: string
  /**
   * The text that it reads from standard input. It is private, while every user of the machine can read the
   * arguments.
   */
  input?: string
  /** Called as soon as the process exists. */
  onSpawn?: (pid: number) => void
  isReady: (pid: number) => boolean | Promise<boolean>
  /** Its abort ends the start. */
  signal?: AbortSignal | undefined
  /** They are sent one after another, each if the one before it had no effect within 10 s. */
  stopSignals: readonly [NodeJS.Signals, ...NodeJS.Signals[]]
  log: (line: string) => void
}

export interface ServiceProcess {
  pid: number
  /** Resolves when the process has ended, no matter what ended it. */
  ended: Promise<unknown>
  stop: () => Promise<void>
}

const stopStepMs = 10_000
const maxLogBytes = 10 * 1024 * 1024

// This is for a caller that ends without stop(). An exit hook can only do synchronous work, so it asks the processes to
// end and does not wait for them.
const running = new Map<number, NodeJS.Signals>()
process.once('exit', () => {
  for (const [pid, signal] of running) sendSignal(pid, signal)
})

/**
 * Starts a server and waits until it is ready, however long that takes. If it ends before that, the error has the end
 * of its log. The server gets a session of its own: Ctrl-C in a terminal goes to the whole foreground group, but the
 * services must keep running until the processes that use them have finished and call stop().
 */
export async function startService(service: ServiceCommand): Promise<ServiceProcess> {
  const { name, logPath, stopSignals } = service
  const { descriptor, offset } = openLog(logPath)
  const child = spawn(service.command, service.args, {
    cwd: service.cwd,
    env: service.env,
    ...service.account,
    detached: true,
    stdio: ['pipe', descriptor, descriptor],
  })
  closeSync(descriptor)
  // If the process ends before it has read its input, its log says why.
  child.stdin?.on('error', () => undefined).end(service.input)
  const { pid } = child
  if (pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error]
    throw new Error(`${name} could not be started`, { cause: error })
  }
  running.set(pid, stopSignals[0])
  const ended = once(child, 'exit').then(() => running.delete(pid))
  // A caller that forgets stop() must still be able to end, and so to reach the exit hook.
  child.unref()
  service.onSpawn?.(pid)

  // A child keeps its id until its end was noticed, so a signal cannot reach another process.
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= stopProcess(pid, stopSignals, hasEnded))

  const isReady = async () => Promise.race([service.isReady(pid), ended.then(() => false)])
  const isOver = async () => hasEnded() || service.signal?.aborted === true || (await isReady())
  await holdsWithin(Infinity, isOver)
  if (service.signal?.aborted === true) {
    await stop()
    throw new Error(`${name} was told to stop while it was starting`)
  }
  if (hasEnded()) {
    const log = lastLines(logPath, offset)
    throw new Error(`${name} ended while it was starting. ${logPath} ends with:\n${log}`)
  }
  void ended.then(() => {
    if (!stopping) service.log(`${name} ended by itself, see ${logPath}`)
  })
  return { pid, ended, stop }
}

export async function stopProcess(
  pid: number,
  signals: readonly NodeJS.Signals[],
  hasEnded: () => boolean,
): Promise<void> {
  for (const signal of signals) {
    if (hasEnded()) return
    sendSignal(pid, signal)
    if (await holdsWithin(stopStepMs, hasEnded)) return
  }
  throw new Error(`process ${pid} could not be stopped`)
}

/**
 * Waits until a condition holds.
 *
 * @returns false if it does not hold within this time, by a clock that nobody sets
 */
export async function holdsWithin(ms: number, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadlineAt = performance.now() + ms
  while (!(await condition())) {
    if (performance.now() >= deadlineAt) return false
    await delay(20)
  }
  return true
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // The process has just ended. If it has not, the wait that follows shows that.
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

function openLog(path: string): { descriptor: number; offset: number } {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > maxLogBytes) renameSync(path, `${path}.1`)
  return { descriptor: openSync(path, 'a', 0o600), offset: size > maxLogBytes ? 0 : size }
}

function lastLines(path: string, offset: number): string {
  return readFileSync(path).subarray(offset).toString().trimEnd().split('\n').slice(-15).join('\n')
}
