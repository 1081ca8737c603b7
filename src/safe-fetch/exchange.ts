import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Agent, Dispatcher } from 'undici'
import { CappedBody } from './capped-body.js'
import { Fault, faultOf, type FetchFailureName } from './failures.js'
import { Outcome, type TimeLimits } from './outcome.js'
import { onSocket, PhaseClock, type Phases } from './phases.js'

export interface SafeRequest extends TimeLimits {
  /** The default is GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /**
   * The headers that frame the message (`host`, `content-length`, `connection` …) are not allowed here: we set those.
   */
  headers?: Record<string, string>
  body?: string | Buffer
  /** How many bytes of the response's body are kept, 16 KiB by default. The rest is not read. */
  maxResponseBytes?: number
  /**
   * True if the body is only something to show: then the status decides as soon as the headers are complete. Whatever
   * happens to the body after that is `bodyFailure`, and we do not wait for a slow body.
   */
  statusDecides?: boolean
  /**
   * True if the server recognizes a repeat. A request on a reused connection that is lost before the first byte of a
   * response is then sent once more, on a new connection: a server that closes an idle connection may do so just when
   * it is used (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
   */
  isRepeatable?: boolean
}

/** `once` keeps no connections, so each of its requests gets a new one. */
export interface Agents {
  kept: Agent
  once: Agent
}

export interface SafeResponse {
  status: number
  /** The names are in lower case. The values of a repeated header are joined with `, `. */
  headers: Record<string, string>
  /** The bytes as they were sent: a Content-Encoding is not undone. */
  body: Buffer
  /** True if the body was longer than `maxResponseBytes`. */
  truncated: boolean
  /** Why the body is not complete, if `statusDecides`. */
  bodyFailure?: FetchFailureName
  durationMs: number
  phases: Phases
}

export type AnswerHead = Pick<SafeResponse, 'status' | 'headers'>

/** What is known at the end of the body. */
export type Answer = Omit<SafeResponse, 'durationMs'>

/** The beginning of a response is enough for people who want to know what went wrong. */
const DEFAULT_MAX_RESPONSE_BYTES = 16 * 1_024

/**
 * The time for a body after its head, where the status decides. Most bodies arrive immediately, and a server that goes
 * on working while it sends one may stop if we close too early.
 */
const BODY_MS = 5_000

/**
 * The most bytes of headers in an answer. This is Node's own limit, so any server that Node's client can read can be
 * read here.
 */
export const MAX_HEADER_BYTES = 16 * 1_024

/**
 * The bytes that an answer may have beside its body, which may itself take six times its length in the smallest chunks.
 * The parser reads some parts that never end, such as the extension of a chunk, without telling anyone, as fast as they
 * come: two such answers took all of a processor until their time was over (measured).
 */
const MAX_FRAMING_BYTES = 1_024 * 1_024
const BYTES_FOR_ONE = 10
/** The bytes are looked at this often. */
const LOOK_MS = 100

/**
 * Makes one request and keeps the body of its answer up to a limit. Rejects with a Fault, or with a TypeError for
 * headers that are the caller's mistake.
 *
 * It uses `Agent.dispatch` instead of `Agent.request` for two reasons. Only a handler is told when the request is about
 * to be written (`requestSent`). And a request that waits for a connection ignores its AbortSignal until it has one
 * (nodejs/undici#386).
 *
 * Never pause undici 7.30.2, and never read one of its bodies as a stream. If the server closes in the meantime, undici
 * throws outside of every promise, which ends the process (nodejs/undici#5360; fixed only in 8). `stream.ts` reads long
 * bodies.
 */
export async function exchange(agents: Agents, url: URL, request: SafeRequest): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = request
  checkHeaders(headers)
  const maxBodyBytes = request.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES
  const kept = new CappedBody(maxBodyBytes)
  const head: AnswerHead = { status: 0, headers: {} }
  const clock = new PhaseClock()
  let controller: Dispatcher.DispatchController | undefined
  let receivedOnKept: (() => number) | undefined
  let look: NodeJS.Timeout | undefined
  const outcome = new Outcome<Answer>(request, () => controller?.abort(new Error('settled')))
  if (outcome.isSettled) return outcome.promise
  const soFar = (truncated: boolean): Answer => ({
    ...head,
    body: kept.bytes,
    truncated,
    phases: clock.phases,
  })

  // The outcome's timer covers headers and body too, so undici's own timers, which are 500 ms coarse, are off.
  const options: Agent.DispatchOptions = {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers,
    body,
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  const dispatch = (agent: Agent) =>
    agent.dispatch(options, {
      onRequestStart(started) {
        // This throws and does not abort, because an abort would close a pooled connection that the next request can
        // use.
        if (outcome.isSettled) throw new Error('settled before a connection was free')
        controller = started
        outcome.isRequestSent = true
        onSocket((socket, phases) => {
          Object.assign(clock.phases, phases)
          const { bytesRead } = socket
          const received = () => socket.bytesRead - bytesRead
          receivedOnKept = phases === undefined ? received : undefined
          clearInterval(look)
          look = setInterval(() => {
            if (received() <= MAX_FRAMING_BYTES + BYTES_FOR_ONE * maxBodyBytes) return
            outcome.cut(new Fault('too_large', 'The response is too large, not counting its body.'))
          }, LOOK_MS)
        })
        clock.begin('firstByteMs')
      },
      onResponseStart(_controller, status, received) {
        clock.end()
        head.status = status
        head.headers = joinValues(received)
        if (status < 200) {
          outcome.takeInterim()
          return
        }
        if (request.statusDecides === true) {
          outcome.takeHead(({ failure }) => ({ ...soFar(true), bodyFailure: failure }), BODY_MS)
        }
        if (claimsBodyInVain(head)) outcome.cut(soFar(false))
      },
      onResponseData(_controller, piece) {
        if (outcome.isSettled || kept.add(piece)) return
        outcome.cut(soFar(true))
      },
      onResponseEnd() {
        outcome.settle(soFar(false))
      },
      onResponseError(_controller, error) {
        const fault = faultOf(error)
        if (request.isRepeatable === true && fault.failure === 'reset' && receivedOnKept?.() === 0) {
          receivedOnKept = undefined
          dispatch(agents.once)
        } else {
          outcome.settle(fault)
        }
      },
    })
  dispatch(agents.kept)
  try {
    return await outcome.promise
  } catch (error) {
    clock.end()
    if (error instanceof Fault) Object.assign(error.phases, clock.phases)
    throw error
  } finally {
    clearInterval(look)
  }
}

/**
 * True for an answer that ends with its head (RFC 9110 §15.3.5, §15.4.5) but describes a body. undici would wait for that
 * body. wsgiref, which Django's `runserver` uses, gives a 204 the length of a body that it does not send.
 */
function claimsBodyInVain({ status, headers }: AnswerHead): boolean {
  return (status === 204 || status === 304) && (headers['content-length'] ?? '0') !== '0'
}

/** Joins the values of each header of an answer into one text. */
export function joinValues(
  received: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(received).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
}

const FRAMING_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

/**
 * Headers are checked here, because the pool of undici 7.30.2 loses a connection for good with each bad one (measured).
 */
export function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (FRAMING_HEADERS.has(name.toLowerCase()))
      throw new Fault('invalid_headers', `The ${name} header cannot be set. Remove it.`)
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      throw new Fault('invalid_headers', `The ${name} header has a character that HTTP does not allow.`)
    }
  }
}
