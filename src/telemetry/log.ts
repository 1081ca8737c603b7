import { destination, pino, stdTimeFunctions, type Logger, type LoggerOptions } from 'pino'
import { setUnguarded } from './plain-line.js'
import { prettifier } from './pretty.js'

export type { Logger }

/**
 * One JSON line per unit of work. Callers log ids, counts and outcomes. The fields below, and the cuts in every line,
 * are only a second guard against what must never be written (secrets, message text, whole numbers), not permission
 * to pass it in.
 */
export function createLog(process: string, level: string, format: LogFormat = 'auto'): Logger {
  const pretty = isPretty(format) ? prettifier() : undefined
  const plain: LoggerOptions = {
    level,
    base: { process, pid: globalThis.process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    ...(pretty === undefined ? {} : { hooks: { streamWrite: pretty } }),
  }
  const options: LoggerOptions = {
    ...plain,
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[cut]',
    },
    serializers: { err: describeError },
    // The cuts are made before the line is formatted.
    hooks: { streamWrite: pretty === undefined ? cut : (line) => pretty(cut(line)) },
  }
  const output = standardOutput()
  const log = pino(options, output)
  setUnguarded(log, pino(plain, output))
  reporter ??= log
  return log
}

/** `auto` is pretty on a terminal and JSON elsewhere. */
export type LogFormat = 'auto' | 'json' | 'pretty'

function isPretty(format: LogFormat): boolean {
  return format === 'pretty' || (format === 'auto' && process.stdout.isTTY)
}

let opened: ReturnType<typeof destination> | undefined
/** Says how many lines were dropped. */
let reporter: Logger | undefined

/** How many bytes of lines may wait for a slow reader. Further lines are dropped until it has caught up. */
const MAX_WAITING = 16 * 1024 * 1024
/** A process that ends waits this long for a reader that hangs. */
const LAST_WAIT_MS = 200

/**
 * Writes are not awaited, because a slow reader must not hold up the service. All logs of a process share one output,
 * or their lines could mix. `minLength` is set, if only to one byte, because then flush() waits until everything is
 * written.
 */
function standardOutput() {
  if (opened !== undefined) return opened
  // Node opens a pipe so that a write never waits, but only once it is asked for. Otherwise a process whose reader
  // hangs could not exit: Node waits for the thread that writes.
  const { fd } = process.stdout
  let giveUpAt: number | undefined
  const output = destination({
    dest: fd,
    minLength: 1,
    maxLength: MAX_WAITING,
    retryEAGAIN: () => giveUpAt === undefined || performance.now() < giveUpAt,
  })
  // The file's disk may be full. The lines wait, and each further line is another attempt.
  let isFailing = false
  output.on('error', () => {
    isFailing = true
  })
  output.on('write', () => {
    isFailing = false
  })
  // pino calls it after a fatal line and at the exit of the process. It would wait until everything is read, and keep
  // trying forever to write to a full disk.
  const writeAll = output.flushSync.bind(output)
  output.flushSync = () => {
    if (isFailing) return
    giveUpAt = performance.now() + LAST_WAIT_MS
    try {
      writeAll()
    } catch {
      // Nobody reads it.
    } finally {
      giveUpAt = undefined
    }
  }
  let dropped = 0
  output.on('drop', () => {
    dropped += 1
  })
  output.on('drain', () => {
    if (dropped === 0) return
    const count = dropped
    dropped = 0
    reporter?.warn({ count }, 'log.lines_dropped')
  })
  return (opened = output)
}

const SECRET_FIELDS = [
  'token',
  'secret',
  'password',
  'authorization',
  'cookie',
  'text',
  'payload',
  'toNumber',
  'fromNumber',
  'number',
]

/**
 * Returns the name, code and stack of an error, but not its other fields, in which drivers put query bindings and
 * URLs.
 */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: withoutNumbers(String(error)) }
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: withoutNumbers(error.message),
    stack: withoutNumbers(error.stack ?? ''),
  }
}

/** In an error any long run of digits may be a phone number: Postgres quotes the values of a row. */
function withoutNumbers(text: string): string {
  return text.replace(/\+?\d{7,15}/g, '[number]')
}

/**
 * Cuts the secrets out of a line, wherever they are in it: query strings, which may carry a token; the password of a
 * URL; and E.164 numbers. A backslash ends a cut, because in JSON it begins an escape.
 */
function cut(line: string): string {
  return line
    .replace(/\?[^\s"'`)\\]+/g, '?[cut]')
    .replace(/:\/\/[^\s"'`/\\]+@/g, '://[cut]@')
    .replace(/\+\d{7,15}/g, '[number]')
}
