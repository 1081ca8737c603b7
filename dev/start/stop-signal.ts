import { onStopRequest } from '../../src/kit/process/stop-request.js'

/** The interval at which processes look for their starter, too (`src/kit/process/stop-request.ts`). */
const NPM_CHECK_MS = 500

/**
 * Aborts when the service is to stop. There are three reasons: a signal; the reader of its output is gone (`| head`);
 * or npm started this process and has ended, in whatever way. (The script begins with `exec`, so npm itself is the
 * parent.)
 *
 * If npm did not start the service, the end of its parent is no reason, because after nohup, setsid and & a service
 * outlives its parent. The end of its terminal (EIO) is no reason either.
 */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  const stop = () => {
    stopping.abort()
  }
  onStopRequest(stop)
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') stop()
  })
  const isChildOfNpm = process.env.npm_lifecycle_script?.startsWith('exec ') === true
  const parent = process.ppid
  if (isChildOfNpm)
    setInterval(() => {
      if (process.ppid !== parent) stop()
    }, NPM_CHECK_MS).unref()
  return stopping.signal
}
