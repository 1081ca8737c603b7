import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { asError } from '../errors.js'
import type { Dial } from './dial.js'
import {
  checkHeaders,
  joinValues,
  MAX_HEADER_BYTES,
  type Answer,
  type AnswerHead,
  type SafeRequest,
} from './exchange.js'
import { Fault, faultOf, notHttp } from './failures.js'
import { Outcome } from './outcome.js'

/** A sink takes a body piece by piece. */
export interface BodySink {
  /**
   * Called once, before the first piece.
   *
   * @returns false if the body is not wanted, and then it is not read
   */
  begin?(answer: AnswerHead): boolean
  /**
   * Takes a piece. While the result is a pending promise, the server has to wait, so nothing piles up here. A promise
   * that rejects ends the exchange, which rejects with the same error.
   *
   * @returns false if this is enough; then the rest is not read
   */
  take(piece: Buffer): boolean | Promise<boolean>
}

export type StreamRequest = Omit<SafeRequest, 'maxResponseBytes'>

/** `truncated` means that the sink did not want all of the body. */
export type Streamed = Omit<Answer, 'body' | 'phases'>

export interface Streamer {
  stream(url: URL, request: StreamRequest, sink: BodySink): Promise<Streamed>
  /** Anything still under way fails as `aborted`, and so does every later call. */
  close(): void
}

/**
 * Reads answers whose bodies are too long to keep, each on a connection of its own. It uses Node's own client, which
 * makes a server wait for a slow sink, and copes with a server that closes in the meantime. undici 7 does not
 * (`exchange.ts`).
 */
export function createStreamer(dial: Dial): Streamer {
  const underWay = new Set<Outcome<Streamed>>()
  let isClosed = false
  const stop = (outcome: Outcome<Streamed>) => {
    outcome.fail(new Fault('aborted', 'The request was cancelled because the service is stopping.'))
  }

  return {
    stream(url, request, sink) {
      checkHeaders(request.headers ?? {})
      let socket: Socket | undefined
      const outcome = new Outcome<Streamed>(request, () => socket?.destroy())
      if (isClosed) stop(outcome)
      underWay.add(outcome)
      const converse = async () => {
        socket = await dial(url)
        if (outcome.isSettled) socket.destroy()
        else ask(socket, url, request, sink, outcome)
      }
      if (!outcome.isSettled) {
        converse().catch((error: unknown) => {
          outcome.fail(error)
        })
      }
      return outcome.promise.finally(() => underWay.delete(outcome))
    },
    close() {
      isClosed = true
      for (const outcome of underWay) stop(outcome)
    },
  }
}

function ask(
  socket: Socket,
  url: URL,
  { method = 'GET', headers = {}, body }: StreamRequest,
  sink: BodySink,
  outcome: Outcome<Streamed>,
): void {
  outcome.isRequestSent = true
  let answered: IncomingMessage | undefined
  httpRequest({
    createConnection: () => socket,
    method,
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers },
    maxHeaderSize: MAX_HEADER_BYTES,
  })
    .on('response', (response) => {
      answered = response
      void read(response, sink, outcome)
    })
    .on('information', () => {
      outcome.takeInterim()
    })
    .on('upgrade', () => {
      outcome.fail(notHttp())
    })
    // After a whole body, an error is about bytes that were not asked for.
    .on('error', (error) => {
      if (answered?.complete !== true) outcome.fail(faultOf(error))
    })
    .end(body)
}

/** Reads a body piece by piece, each when the sink has taken the one before it. */
async function read(response: IncomingMessage, sink: BodySink, outcome: Outcome<Streamed>): Promise<void> {
  const head: AnswerHead = {
    status: response.statusCode ?? 0,
    headers: joinValues(response.headersDistinct),
  }
  try {
    let isWanted = sink.begin?.(head) ?? true
    if (isWanted) {
      for await (const piece of piecesOf(response)) {
        if (outcome.isSettled) return
        isWanted = await sink.take(piece)
        if (!isWanted) break
      }
    }
    outcome.cut({ ...head, truncated: !isWanted })
  } catch (error) {
    outcome.fail(error)
  }
}

/** Yields the pieces of a body. Its errors become Faults, so that they differ from the sink's errors. */
async function* piecesOf(response: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of response) yield piece as Buffer
  } catch (error) {
    throw faultOf(asError(error))
  }
}
