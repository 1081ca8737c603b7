import { asError } from './errors.js'
import { onStopRequest } from './stop-request.js'
import type { Logger } from './telemetry/log.js'

/** The whole process must be gone 25 s after SIGTERM (architecture: Processes). */
const DEADLINE_MS = 24_000
const LAST_WORDS_MS = 1000

type Step = { name: string; close: () => Promise<unknown> }

/**
 * Orders the end of a process: steps run one after another in the order given (the web server or worker first,
 * Redis and Postgres last), when it is asked to stop. A step that fails is logged and the next one runs; what is not
 * over at the deadline is left to leases.
 */
export function closeOnSignal(log: Logger, steps: readonly Step[]): () => Promise<void> {
  let closing: Promise<void> | undefined

  const close = (reason: string) => {
    closing ??= (async () => {
      log.info({ reason }, 'process.stopping')
      const deadline = setTimeout(() => {
        log.error({ deadlineMs: DEADLINE_MS }, 'process.stopped_at_deadline')
        process.exit(1)
      }, DEADLINE_MS)
      for (const step of steps) {
        try {
          await step.close()
        } catch (error) {
          log.error({ step: step.name, err: asError(error) }, 'process.close_failed')
        }
      }
      log.info('process.stopped')
      // Else the last lines would change places: exit() writes what it finds, beside what is being written.
      await new Promise<void>((resolve) => {
        log.flush(() => {
          resolve()
        })
      })
      clearTimeout(deadline)
      process.exit(0)
    })()
    return closing
  }

  // A bug that nobody caught: said in the log like everything else, then the supervisor's turn. Leases and the
  // sweep take care of what was under way.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'process.crashed')
    log.flush(() => process.exit(1))
    setTimeout(() => process.exit(1), LAST_WORDS_MS)
  })
  onStopRequest((reason) => void close(reason))
  return () => close('asked')
}
