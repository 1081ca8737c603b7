import type { Socket } from 'node:net'
import { asError } from '../../errors.js'
import { encodePdu, type Pdu, type PduFields } from './pdu.js'

/** Thrown if no answer came. */
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
  /** Does nothing if no such request waits. */
  settle(sequence: number, outcome: Pdu | NoAnswer): void
  /** Resolves when none waits any more. */
  allSettled(): Promise<void>
  /** Ends those that wait, and those to come. */
  end(reason: Error): void
}

const MAX_SEQUENCE = 0x7fffffff

export function createRequests(socket: Socket): Requests {
  const pending = new Map<number, (outcome: Pdu | NoAnswer) => void>()
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
    const { command, timeoutMs, signal } = request
    return new Promise((resolve, reject) => {
      const tooLate = setTimeout(() => {
        settle(new NoAnswer(`no response to ${command} in ${timeoutMs} ms`, true))
      }, timeoutMs)
      const giveUp = () => {
        reject(new NoAnswer('stopped waiting for the response', true))
      }
      const settle = (outcome: Pdu | NoAnswer) => {
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
      pending.get(sequence)?.(outcome)
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
