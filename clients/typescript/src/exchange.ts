/** What a call may have besides. */
export interface CallOptions {
  /** Ends the call; it then throws the signal's own reason. */
  signal?: AbortSignal | undefined
  /** How long to wait for the whole answer. Default: what the client has, which is 30 s by default. */
  timeoutMs?: number | undefined
}

export interface IdempotentOptions extends CallOptions {
  /** A second call with the same key within 24 h sends nothing and gets the same message. So a repeat is safe. */
  idempotencyKey?: string | undefined
}

/** What Linehook says of a refusal (RFC 9457). */
export interface Problem {
  type: string
  title: string
  status: number
  /** What is wrong and how to mend it. */
  detail: string
}

interface Reason {
  status?: number | undefined
  problem?: Problem | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** Anything but the answer that was asked for. */
export class LinehookError extends Error {
  override readonly name = 'LinehookError'
  /** undefined: there was no answer, so it is not known whether anything happened. */
  readonly status: number | undefined
  /** undefined: what answered was not Linehook's API. */
  readonly problem: Problem | undefined
  /** When to come again, if the answer said so. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, { status, problem, retryAfterSeconds, cause }: Reason = {}) {
    super(message, { cause })
    this.status = status
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export interface Request {
  method: string
  url: URL
  headers: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
}

export interface Answer {
  headers: Headers
  body: unknown
}

export type Fetch = typeof globalThis.fetch

export const DEFAULT_TIMEOUT_MS = 30_000

/** Far more than any answer of Linehook; a server that answers without end is cut off. */
const MAX_CHARACTERS = 20_000_000

/** @throws LinehookError whatever happens but success; messages name no query, because that may have a token */
export async function exchange(
  fetch: Fetch,
  { method, url, headers, body }: Request,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: CallOptions,
): Promise<Answer> {
  const what = `${method} ${url.pathname}`
  const timeout = AbortSignal.timeout(timeoutMs)
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      method,
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      // A token goes nowhere but where it was meant to go.
      redirect: 'manual',
    })
    text = await readText(response)
  } catch (cause) {
    signal?.throwIfAborted()
    const reason = timeout.aborted ? `no whole answer came within ${timeoutMs} ms` : 'no whole answer came'
    throw new LinehookError(`${what}: ${reason}`, { cause })
  }
  const parsed = parse(text)
  if (!response.ok) throw refusal(what, response, parsed)
  if (parsed === undefined)
    throw new LinehookError(`${what}: the answer is not JSON; does the URL lead to Linehook?`, {
      status: response.status,
    })
  return { headers: response.headers, body: parsed }
}

/** One part of a path. Without an id, or with dots instead of one, the path would be another. */
export function segment(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new TypeError(`"${id}" is no id`)
  return encodeURIComponent(id)
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
    if (text.length > MAX_CHARACTERS) {
      await reader.cancel()
      throw new Error(`the answer has more than ${MAX_CHARACTERS} characters`)
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusal(what: string, response: Response, body: unknown): LinehookError {
  const { status } = response
  const problem = isProblem(body) ? body : undefined
  return new LinehookError(`${what}: ${problem?.detail ?? errorOf(body) ?? `returned HTTP ${status}`}`, {
    status,
    problem,
    retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
  })
}

function isProblem(body: unknown): body is Problem {
  return isObject(body) && typeof body.detail === 'string' && typeof body.status === 'number'
}

/** How the incoming webhook says it. */
function errorOf(body: unknown): string | undefined {
  return isObject(body) && typeof body.error === 'string' ? body.error : undefined
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Seconds, or the date that a proxy may give instead (RFC 9110 §10.2.3). */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
