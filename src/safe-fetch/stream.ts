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

export type StreamRequest = Omit<SafeRequest, 'maxResponseBytes'>

/** `truncated`: the sink did not want all of the body. */
export type Streamed = Omit<Answer, 'body'>

export interface Streamer {
  stream(url: URL, request: StreamRequest, sink: BodySink): Promise<Streamed>
  /** What is still under way fails as `aborted`, and so does what comes after it. */
  close(): void
}

/**
 * Answers whose body is too long to keep, each on a connection of its own: Node's own client makes a server wait for a
 * slow sink, and knows what to do when the server closes meanwhile, which undici 7 does not (`exchange.ts`).
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
    .on('upgrade', () => {
      outcome.fail(notHttp())
    })
    // Behind a whole body it is about something that nobody asked for.
    .on('error', (error) => {
      if (answered?.complete !== true) outcome.fail(faultOf(error))
    })
    .end(body)
}

/** Piece by piece, each when the sink has taken the one before it. */
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

/** A body whose errors are Faults, to tell them from the sink's. */
async function* piecesOf(response: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of response) yield piece as Buffer
  } catch (error) {
    throw faultOf(asError(error))
  }
}
