import { pino, type Logger } from 'pino'

export type { Logger }

/**
 * One JSON line per unit of work. Callers log ids, counts and outcomes; the paths below are a second fence for
 * what must never be written (secrets, message text, whole numbers), not a licence to pass it in.
 */
export function createLog(process: string, level: string): Logger {
  return pino({
    level,
    base: { process, pid: globalThis.process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[cut]',
    },
    serializers: { err: describeError },
  })
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

/** The name, code and stack of an error; not its other fields, in which drivers put query bindings and URLs. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: withoutQueries(String(error)) }
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: withoutQueries(error.message),
    stack: withoutQueries(error.stack ?? ''),
  }
}

/** A query string may carry a token; knex's messages start with the whole statement and may quote values. */
function withoutQueries(text: string): string {
  return text.replace(/\?[^\s"'`)]+/g, '?[cut]').replace(/\+?\d{7,15}/g, '[number]')
}
