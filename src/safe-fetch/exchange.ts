import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Agent, Dispatcher } from 'undici'
import { asError } from '../errors.js'
import { Fault, faultOf } from './failures.js'

export interface SafeRequest {
  /** Default GET. */
  method?: 'GET' | 'POST'
  /** All but the headers that frame the message (`host`, `content-length`, `connection` …), which are ours to set. */
  headers?: Record<string, string>
  body?: string | Buffer
  /** For the whole exchange, from the look-up of the name to the last byte of the answer. Default 15,000. */
  timeoutMs?: number
  /** What is kept of the answer's body; the rest is not read. Default 16 KiB. */
  maxResponseBytes?: number
  signal?: AbortSignal
}

export interface SafeResponse {
  status: number
  /** Names in lower case; the values of a repeated header are joined with `, `. */
  headers: Record<string, string>
  /** As sent: a Content-Encoding is not undone. */
  body: Buffer
  /** Whether the body was longer than `maxResponseBytes`. */
  truncated: boolean
  durationMs: number
}

/** Takes a body piece by piece. */
export interface BodySink {
  /** Told before the first piece, once. False: the body is not wanted, and not read. */
  begin?(answer: AnswerHead): boolean
  /**
   * False: enough; the rest is not read. While it is a promise the server has to wait, so that nothing piles up
   * here. A promise that rejects ends the exchange, which rejects with the same.
   */
  take(piece: Buffer): boolean | Promise<boolean>
}

export type AnswerHead = Pick<SafeResponse, 'status' | 'headers'>

/** What is known when the body is over. */
export type Answer = Omit<SafeResponse, 'durationMs' | 'body'>

const DEFAULT_TIMEOUT_MS = 15_000

/**
 * One request and its answer, whose body goes into the sink. Rejects with a Fault, with what the sink threw, or with
 * a TypeError for headers that are the caller's mistake.
 *
 * `Agent.dispatch` instead of `Agent.request`, because only a handler is told when the request is about to be
 * written (`requestSent`), and because a request that waits for a connection ignores its AbortSignal until it has
 * one (nodejs/undici#386). The timer stands in for AbortSignal.timeout and .any: it is cleared with the answer.
 */
export function exchange(agent: Agent, url: URL, request: SafeRequest, sink: BodySink): Promise<Answer> {
  const { method = 'GET', headers = {}, body, signal, timeoutMs = DEFAULT_TIMEOUT_MS } = request
  checkHeaders(headers)
  return new Promise((resolve, reject) => {
    const answer: AnswerHead = { status: 0, headers: {} }
    let controller: Dispatcher.DispatchController | undefined
    let isSettled = false
    /** The piece that the sink is at. */
    let taking: Promise<void> | undefined

    const settle = (outcome: Answer | Error) => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      if (outcome instanceof Error) {
        if (outcome instanceof Fault) outcome.requestSent = controller !== undefined
        reject(outcome)
      } else {
        resolve(outcome)
      }
    }
    const end = (outcome: Answer | Error) => {
      settle(outcome)
      controller?.abort(new Error('settled'))
    }
    const cancel = () => {
      end(new Fault('aborted', 'The request was cancelled.', signal?.reason))
    }
    const goOn = (isWanted: boolean) => {
      if (!isWanted) end({ ...answer, truncated: true })
    }
    const fail = (error: unknown) => {
      end(asError(error))
    }
    const timer = setTimeout(() => {
      end(new Fault('timeout', `There was no complete answer within ${timeoutMs / 1_000} s.`))
    }, timeoutMs)
    signal?.addEventListener('abort', cancel)
    if (signal?.aborted) {
      cancel()
      return
    }

    agent.dispatch(
      // The timer above counts for headers and body too, so undici's own (500 ms coarse) are off.
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers,
        body,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          // Thrown and not aborted: that would close a pooled connection which the next request can use.
          if (isSettled) throw new Error('settled before a connection was free')
          controller = started
        },
        onResponseStart(_controller, status, received) {
          answer.status = status
          answer.headers = Object.fromEntries(
            Object.entries(received).map(([name, value]) => [name, [value].flat().join(', ')]),
          )
          // A 1xx is not the answer yet.
          if (status >= 200) goOn(sink.begin?.(answer) ?? true)
        },
        onResponseData(reading, piece) {
          // undici 7.30.2 begins again after a pause with an empty piece: to pause for that would go on for ever.
          if (isSettled || piece.length === 0) return
          const taken = sink.take(piece)
          if (typeof taken === 'boolean') {
            goOn(taken)
            return
          }
          reading.pause()
          taking = taken.then(goOn, fail).finally(() => {
            taking = undefined
            reading.resume()
          })
        },
        onResponseEnd() {
          if (taking === undefined) settle({ ...answer, truncated: false })
          else
            void taking.then(() => {
              settle({ ...answer, truncated: false })
            })
        },
        onResponseError(_controller, error) {
          settle(faultOf(error))
        },
      },
    )
  })
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

/** Here rather than in undici 7.30.2, whose pool loses a connection for good to each bad header (measured). */
function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    if (FRAMING_HEADERS.has(name.toLowerCase())) throw new TypeError(`${name} is not the caller's to set`)
  }
}
