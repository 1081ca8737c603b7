import { pino } from 'pino'
import type { Logger } from '../../../src/telemetry/log.js'

/** A logger whose lines stay in memory, parsed. */
export function memoryLog(): { log: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const log = pino(
    { level: 'debug' },
    {
      write: (line: string) => {
        lines.push(JSON.parse(line) as Record<string, unknown>)
      },
    },
  )
  return { log, lines }
}
