import type { Socket } from 'node:net'
import { asError } from '../../errors.js'
import {
  createPduReader,
  encodePdu,
  encodeResponse,
  type Pdu,
  type PduFields,
  type ReceivedPdu,
} from './pdu.js'
import { statusCode } from './status.js'
import { createSubmitWindow } from './submit-window.js'

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

/** SMPP over one socket. It matches each response to its request, and ends all requests when the socket ends. */
export interface Link {
  isOpen(): boolean
  /** Resolves with the reason when it is over. */
  readonly ended: Promise<Error>
  /** Counts the requests that have no response yet, and those that wait for a slot. */
  requestCount(): number
  /**
   * Waits for a slot in the window, writes, and waits for the response, of any status.
   *
   * @throws NoAnswer
   */
  request(command: string, fields: PduFields, signal: AbortSignal): Promise<Pdu>
  /** Sends a request that keeps the link alive, which takes no slot in the window. */
  control(command: string, fields: PduFields, timeoutMs: number): Promise<Pdu>
  answer(request: { command: string; sequence: number }, status?: string): void
  /** Sends a `generic_nack` for a PDU that is not a request that we could answer. */
  refuse(sequence: number, status: string): void
  /** Reads nothing more until `resume`, so that the other side's window fills and it has to wait. */
  pause(): void
  resume(): void
  end(reason: Error): void
}

export interface LinkOptions {
  windowSize: number
  /** The longest that a request waits for its slot in the window, and then for its response. */
  windowMs: number
  responseMs: number
  /** Called for a PDU that is not a response. */
  onRequest: (pdu: Pdu, body: Buffer) => void
}

/** A timer may be this late in a busy process. */
const LATE_MS = 1000

const NEVER = new AbortController().signal

export function createLink(socket: Socket, options: LinkOptions): Link {
  const { windowSize, windowMs, responseMs, onRequest } = options
  const window = createSubmitWindow(windowSize)
  const pending = new Map<number, { settle: (outcome: Pdu | NoAnswer) => void }>()
  const read = createPduReader()
  let lastSequence = 0
  let reason: Error | undefined
  let tellEnd: (reason: Error) => void = () => undefined
  const ended = new Promise<Error>((resolve) => (tellEnd = resolve))

  const end = (because: Error) => {
    if (reason) return
    reason = because
    socket.destroy()
    window.end(new NoAnswer(because.message, false))
    for (const { settle } of pending.values()) settle(new NoAnswer(because.message, true))
    tellEnd(because)
  }
  socket.on('error', end)
  socket.on('close', () => {
    end(new Error('the connection was closed'))
  })
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const received of read(chunk)) take(received)
    } catch (error) {
      end(asError(error))
    }
  })

  function take({ pdu, header, body }: ReceivedPdu): void {
    if (pdu === undefined) {
      pending.get(header.sequence)?.settle(new NoAnswer('the response could not be read', true))
      // Every SMSC knows this status. It says that the lengths in the PDU are wrong.
      if (header.commandId < 0x80000000) refuse(header.sequence, 'ESME_RINVCMDLEN')
    } else if (pdu.isResponse()) pending.get(pdu.sequence_number)?.settle(pdu)
    else onRequest(pdu, body)
  }

  function answer(request: { command: string; sequence: number }, status = 'ESME_ROK'): void {
    if (reason === undefined) socket.write(encodeResponse(request, statusCode(status)))
  }

  function refuse(sequence: number, status: string): void {
    if (reason !== undefined) return
    const fields = { sequence_number: sequence, command_status: statusCode(status) }
    socket.write(encodePdu('generic_nack', fields))
  }

  /** `signal` ends only the caller's wait. The request keeps its slot until it is answered or times out. */
  function write(
    command: string,
    fields: PduFields,
    timeoutMs: number,
    signal: AbortSignal,
    done: () => void = () => undefined,
  ): Promise<Pdu> {
    return new Promise((resolve, reject) => {
      const refuse = (message: string) => {
        done()
        reject(new NoAnswer(message, false))
      }
      if (reason) {
        refuse(reason.message)
        return
      }
      lastSequence = lastSequence === 0x7fffffff ? 1 : lastSequence + 1
      const sequence = lastSequence
      let bytes: Buffer
      try {
        bytes = encodePdu(command, { ...fields, sequence_number: sequence })
      } catch (error) {
        refuse(asError(error).message)
        return
      }
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
        if (outcome instanceof NoAnswer) reject(outcome)
        else resolve(outcome)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      pending.set(sequence, { settle })
      socket.write(bytes)
    })
  }

  return {
    isOpen: () => reason === undefined,
    ended,
    requestCount: () => window.count(),
    request: async (command, fields, signal) => {
      const askedAt = performance.now()
      try {
        await window.enter(AbortSignal.any([signal, AbortSignal.timeout(windowMs)]))
      } catch (error) {
        throw error instanceof NoAnswer ? error : new NoAnswer('the window was full for too long', false)
      }
      // A process that was stopped reads its sockets before its timers run. Its claim may be over by then.
      if (signal.aborted || performance.now() - askedAt > windowMs + LATE_MS) {
        window.leave()
        throw new NoAnswer('stopped before it was sent', false)
      }
      return write(command, fields, responseMs, signal, () => {
        window.leave()
      })
    },
    control: (command, fields, timeoutMs) => write(command, fields, timeoutMs, NEVER),
    answer,
    refuse,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    end,
  }
}
