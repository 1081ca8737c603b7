import type { Socket } from 'node:net'
import { asError } from '../../errors.js'
import { encodePdu, type Pdu, type PduFields } from './pdu.js'

/** Thrown if no response came. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'

  constructor(
    message: string,
    /** If false, the other side cannot know about the request. */
    readonly wasWritten: boolean,
  ) {
    super(message)
  }
}

interface Request {
  command: string
  fields: PduFields
  /** The longest that it waits for its response. */
  timeoutMs: number
  /** Ends only the caller's wait. The request stays until it is answered or times out. */
  signal: AbortSignal
  /** Called with a response that comes after the caller's wait, while the socket lives. */
  onLate?: ((response: Pdu) => void) | undefined
}

/** The requests on a socket that have no response yet, by their sequence numbers. */
export interface Requests {
  /**
   * Writes a request, and waits for its response, of any status.
   *
   * @param done called once, when the request no longer waits
   * @throws NoAnswer
   */
  write(request: Request, done?: () => void): Promise<Pdu>
  /** Does nothing if no such request waits, or if it is the response to another command. */
  settle(sequence: number, outcome: Pdu | NoAnswer): void
  /** Resolves when none waits any more. */
  allSettled(): Promise<void>
  /** Ends all that are waiting, and all that come later. */
  end(reason: Error): void
}

const MAX_SEQUENCE = 0x7fffffff
/** Bounds the memory: an SMSC may never answer some. */
const MAX_LATE = 10_000

/** True if the response is one to the command, or says that the request was not understood. */
function isResponseTo(command: string, response: Pdu): boolean {
  return response.command === `${command}_resp` || response.command === 'generic_nack'
}

export function createRequests(socket: Socket): Requests {
  const pending = new Map<number, (outcome: Pdu | NoAnswer) => void>()
  /** Those that have timed out. */
  const late = new Map<number, Request>()
  let lastSequence = 0
  let tellIdle: () => void = () => undefined
  let endReason: Error | undefined

  /** @throws NoAnswer if it cannot be sent */
  function send({ command, fields }: Request): number {
    if (endReason !== undefined) throw new NoAnswer(endReason.message, false)
    lastSequence = lastSequence === MAX_SEQUENCE ? 1 : lastSequence + 1
    try {
      socket.write(encodePdu(command, { ...fields, sequence_number: lastSequence }))
    } catch (error) {
      throw new NoAnswer(asError(error).message, false)
    }
    return lastSequence
  }

  function waitForResponse(sequence: number, request: Request, done: () => void): Promise<Pdu> {
    const { command, timeoutMs, signal, onLate } = request
    return new Promise((resolve, reject) => {
      let isAwaited = true
      const tooLate = setTimeout(() => {
        settle(new NoAnswer(`no response to ${command} in ${timeoutMs} ms`, true))
        noteLate(sequence, request)
      }, timeoutMs)
      const giveUp = () => {
        isAwaited = false
        reject(new NoAnswer('stopped waiting for the response', true))
      }
      const settle = (outcome: Pdu | NoAnswer) => {
        if (!(outcome instanceof NoAnswer)) {
          if (!isResponseTo(command, outcome)) return
          if (!isAwaited) onLate?.(outcome)
        }
        clearTimeout(tooLate)
        signal.removeEventListener('abort', giveUp)
        pending.delete(sequence)
        done()
        if (pending.size === 0) tellIdle()
        if (outcome instanceof NoAnswer) reject(outcome)
        else resolve(outcome)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      pending.set(sequence, settle)
    })
  }

  function noteLate(sequence: number, request: Request): void {
    if (request.onLate === undefined) return
    late.set(sequence, request)
    const [oldest] = late.keys()
    if (oldest !== undefined && late.size > MAX_LATE) late.delete(oldest)
  }

  function settleLate(sequence: number, outcome: Pdu | NoAnswer): void {
    const request = late.get(sequence)
    if (request === undefined || outcome instanceof NoAnswer || !isResponseTo(request.command, outcome))
      return
    late.delete(sequence)
    request.onLate?.(outcome)
  }

  return {
    write: async (request, done = () => undefined) => {
      let sequence: number
      try {
        sequence = send(request)
      } catch (error) {
        done()
        throw error
      }
      return waitForResponse(sequence, request, done)
    },
    settle: (sequence, outcome) => {
      const settle = pending.get(sequence)
      if (settle === undefined) settleLate(sequence, outcome)
      else settle(outcome)
    },
    allSettled: () =>
      new Promise((resolve) => {
        tellIdle = resolve
        if (pending.size === 0) resolve()
      }),
    end: (reason) => {
      endReason ??= reason
      for (const settle of pending.values()) settle(new NoAnswer(reason.message, true))
    },
  }
}
