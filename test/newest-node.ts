import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Starts the service on the newest Node that it is for, and has it send and receive texts: the journey of
 * `text-out-and-in.test.ts`, with Postgres, Redis and processes of its own. The binary is that of the npm package
 * `node`, which `npx` keeps.
 */
const NEWEST = '24.21.0'
/** Most of it may be the download. */
const LIMIT_MS = 600_000

const journey = 'node --version && node node_modules/mocha/bin/mocha.js test/journeys/text-out-and-in.test.ts'
// A group of its own: npx does not hand on a signal to what it runs.
const child = spawn('npx', ['--yes', '-p', `node@${NEWEST}`, '-c', journey], {
  stdio: 'inherit',
  detached: true,
})
const stop = (signal: NodeJS.Signals) => {
  if (child.pid !== undefined) process.kill(-child.pid, signal)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stop(signal)
  })
}
const limit = setTimeout(() => {
  console.error(`Not over after ${LIMIT_MS / 1000} s`)
  stop('SIGTERM')
}, LIMIT_MS)
const [code] = (await once(child, 'exit')) as [number | null]
clearTimeout(limit)
process.exitCode = code ?? 1
