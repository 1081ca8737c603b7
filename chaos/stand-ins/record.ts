import { appendFileSync } from 'node:fs'

/**
 * Writes down what a stand-in saw as a line of JSON with its own time. It does so at once, before it answers. RECORD names the
 * file.
 */
export function record(seen: object): void {
  const { RECORD = '' } = process.env
  appendFileSync(RECORD, `${JSON.stringify({ at: performance.timeOrigin + performance.now(), ...seen })}\n`)
}

/**
 * Says where this stand-in listens, and what else there is to know. From then on it ends with the process that started
 * it.
 */
export function announce(url: string, more: object = {}): void {
  process.stdout.write(`${JSON.stringify({ msg: 'process.started', url, ...more })}\n`)
  const starter = process.ppid
  setInterval(() => {
    if (process.ppid !== starter) process.exit(0)
  }, 500)
}
