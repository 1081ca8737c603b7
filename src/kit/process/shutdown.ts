import { asError } from '../../errors.js'
import { onStopRequest } from './stop-request.js'
import type { Logger } from '../../telemetry/log.js'

/** A process must be gone 25 s after SIGTERM (docs/operating/README.md); `linehook start` kills it after 26 s. */
const DEADLINE_MS = 24_000
/** A process ends after this time even if its log cannot be written, so that the supervisor can start another one. */
const LAST_WORDS_MS = 500

type Step = { name: string; close: () => Promise<unknown> }

/**
 * A part that closes separately: a whole process, or one of the workers that share one (`workers/processes/all.ts`).
 */
interface Part {
  log: Logger
  steps: readonly Step[]
  closed?: Promise<void>
}

const parts: Part[] = []
let closing: Promise<void> | undefined

/**
 * When the process is asked to stop, runs the steps one after another in the order given (the web server or worker
 * first, Redis and Postgres last). A step that fails is logged, and the next one runs; work that is unfinished at the
 * deadline is left to leases. A second call adds another part of the process: parts close side by side, within the one
 * deadline, and the last of them ends it.
 */
export function closeOnSignal(
  log: Logger,
  steps: readonly Step[],
  { deadlineMs = DEADLINE_MS }: { deadlineMs?: number } = {},
): () => Promise<void> {
  const close = (reason: string) => (closing ??= closeAll(reason, deadlineMs))
  parts.push({ log, steps })
  if (parts.length === 1) {
    // An error that nothing caught is a bug. It is logged like everything else, and then the supervisor takes over.
    // Leases and the sweep take care of the work under way.
    process.on('uncaughtException', (error) => {
      log.fatal({ err: error }, 'process.crashed')
      failSoon(log)
    })
    // Node's own listener prints them between the lines of the log.
    process.removeAllListeners('warning')
    process.on('warning', (warning) => {
      log.warn({ err: warning }, 'process.warning')
    })
    onStopRequest((reason) => void close(reason))
  }
  return () => close('asked')
}

async function closeAll(reason: string, deadlineMs: number): Promise<void> {
  const deadline = setTimeout(() => {
    for (const { log } of parts) {
      log.error({ deadlineMs }, 'process.stopped_at_deadline')
      failSoon(log)
    }
  }, deadlineMs)
  // A part that has just started may be added while the others close.
  for (let count = 0; count < parts.length;) {
    count = parts.length
    await Promise.all(parts.map((part) => (part.closed ??= closePart(part, reason))))
  }
  clearTimeout(deadline)
  process.exit(0)
}

async function closePart({ log, steps }: Part, reason: string): Promise<void> {
  log.info({ reason }, 'process.stopping')
  for (const step of steps) {
    try {
      await step.close()
    } catch (error) {
      log.error({ step: step.name, err: asError(error) }, 'process.close_failed')
    }
  }
  log.info('process.stopped')
  // Without this wait, the last lines could be out of order, because exit() writes them past the output that is still
  // being written.
  await new Promise<void>((resolve) => {
    log.flush(() => {
      resolve()
    })
  })
}

/** Ends the process with 1 as soon as its log is written, or without it if its reader hangs. */
function failSoon(log: Logger): void {
  log.flush(() => process.exit(1))
  setTimeout(() => process.exit(1), LAST_WORDS_MS)
}
