/** Additional options of a call. */
export interface CallOptions {
  /** Cancels the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** How long to wait for the complete response. Defaults to the client's setting, which is 30 s by default. */
  timeoutMs?: number | undefined
}

export interface IdempotentOptions extends CallOptions {
  /** A second call with the same key within 24 h sends nothing and returns the same message, so a repeat is safe. */
  idempotencyKey?: string | undefined
}

/** What Linehook says about a refusal (RFC 9457). */
export interface Problem {
  type: string
  title: string
  status: number
  /** What is wrong and how to fix it. */
  detail: string
}

interface Reason {
  status?: number | undefined
  problem?: Problem | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** Anything but a successful response. */
export class LinehookError extends Error {
  override readonly name = 'LinehookError'
  /** Undefined if there was no response, so it is unknown whether anything happened. */
  readonly status: number | undefined
  /** Undefined if the response did not come from Linehook's API. */
  readonly problem: Problem | undefined
  /** When to retry, if the response said so. */
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

/** Far more than any response from Linehook; a server that never stops sending is cut off. */
const MAX_CHARACTERS = 20_000_000

/**
 * @throws LinehookError for anything but success; its message leaves out the query, which may contain a token. TypeError,
 *   before anything is sent, for a body that JSON cannot express and for a header that HTTP does not allow
 */
export async function exchange(
  fetch: Fetch,
  { method, url, headers, body }: Request,
  { signal, timeoutMs = DEFAULT_TIMEOUT_MS }: CallOptions,
): Promise<Answer> {
  const what = `${method} ${url.pathname}`
  const sent: RequestInit = {
    method,
    headers: new Headers({
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    }),
    body: body === undefined ? null : JSON.stringify(body),
    // A token goes only where it was meant to go.
    redirect: 'manual',
  }
  const timeout = AbortSignal.timeout(timeoutMs)
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      ...sent,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    text = await readText(response)
  } catch (cause) {
    signal?.throwIfAborted()
    const reason = timeout.aborted ? `no complete response within ${timeoutMs} ms` : 'no complete response'
    throw new LinehookError(`${what}: ${reason}`, { cause })
  }
  const parsed = parse(text)
  if (!response.ok) throw refusal(what, response, parsed)
  if (parsed === undefined)
    throw new LinehookError(`${what}: the response is not JSON. Check that the URL points to Linehook`, {
      status: response.status,
    })
  return { headers: response.headers, body: parsed }
}

/** @throws TypeError for a key that no header can carry: the platform's own error would not say which argument is wrong */
export function keyHeader(idempotencyKey: string | undefined): Record<string, string> {
  if (idempotencyKey === undefined) return {}
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(idempotencyKey))
    throw new TypeError('idempotencyKey has a character that an HTTP header cannot contain. Use ASCII')
  return { 'Idempotency-Key': idempotencyKey }
}

/** One part of a path. Without an id, or with dots instead of one, it would be a different path. */
export function segment(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new TypeError(`"${id}" is not an ID`)
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
      throw new Error(`the response has more than ${MAX_CHARACTERS} characters`)
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

/** How the incoming webhook reports an error. */
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
