import { onStopRequest } from '../src/stop-request.js'

const NPM_CHECK_MS = 500

/**
 * Aborts when the service is to stop: for a signal; when nobody reads what is printed any more (`| head`); and when npm
 * started this process and is gone, however it ended: its script says `exec`, so that npm itself is the parent.
 *
 * Of a service that was not started by npm the parent is of no interest: nohup, setsid and & outlive theirs. A terminal
 * that went away is none either (EIO).
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
