import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { asError } from '../../errors.js'
import {
  createPduReader,
  encodePdu,
  encodeResponse,
  type Pdu,
  type PduFields,
  type ReceivedPdu,
} from './pdu.js'
import { createRequests, NoAnswer } from './requests.js'
import { statusCode } from './status.js'
import { createSubmitWindow } from './submit-window.js'

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
   * @param onLate called with a response that comes afterwards
   * @throws NoAnswer
   */
  request(
    command: string,
    fields: PduFields,
    signal: AbortSignal,
    onLate?: (response: Pdu) => void,
  ): Promise<Pdu>
  /** Sends a request that keeps the link alive, which takes no slot in the window. */
  control(command: string, fields: PduFields, timeoutMs: number): Promise<Pdu>
  answer(request: { command: string; sequence: number }, status?: string): void
  /** Sends a `generic_nack` for a PDU that is not a request that we could answer. */
  refuse(sequence: number, status: string): void
  /** Reads nothing more until `resume`, so that the other side's window fills and it has to wait. */
  pause(): void
  resume(): void
  /**
   * Takes no more requests, and waits for the responses to those that were written, at most for this time. The link is not
   * open any more, but it still answers.
   */
  leave(reason: Error, limitMs: number): Promise<void>
  end(reason: Error): void
}

export interface LinkOptions {
  windowSize: number
  /** How long a request may wait for its slot in the window, and then for its response. */
  windowMs: number
  responseMs: number
  /** Called for a PDU that is not a response. */
  onRequest: (pdu: Pdu, body: Buffer) => void
  /** Called for one that cannot be read, and has to be refused. */
  onUnreadable: (received: ReceivedPdu) => void
}

/** A timer may be this late in a busy process. */
const LATE_MS = 1000

const NEVER = new AbortController().signal
// All sessions ask with it whether their SMSC is there; Node would warn of more than ten at a time.
setMaxListeners(0, NEVER)

export function createLink(socket: Socket, options: LinkOptions): Link {
  const { windowSize, windowMs, responseMs, onRequest, onUnreadable } = options
  const window = createSubmitWindow(windowSize)
  const requests = createRequests(socket)
  const read = createPduReader()
  let reason: Error | undefined
  let isLeaving = false
  let tellEnd: (reason: Error) => void = () => undefined
  const ended = new Promise<Error>((resolve) => (tellEnd = resolve))

  const end = (because: Error) => {
    if (reason) return
    reason = because
    socket.destroy()
    window.end(new NoAnswer(because.message, false))
    requests.end(because)
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

  function take(received: ReceivedPdu): void {
    const { pdu, header, body } = received
    if (pdu === undefined) {
      if (header.commandId < 0x80000000) onUnreadable(received)
      else requests.settle(header.sequence, new NoAnswer('the response could not be read', true))
    } else if (pdu.isResponse()) requests.settle(pdu.sequence_number, pdu)
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

  return {
    isOpen: () => reason === undefined && !isLeaving,
    ended,
    requestCount: () => window.count(),
    request: async (command, fields, signal, onLate) => {
      const askedAt = performance.now()
      try {
        await window.enter(AbortSignal.any([signal, AbortSignal.timeout(windowMs)]))
      } catch (error) {
        throw error instanceof NoAnswer ? error : new NoAnswer('the window was full for too long', false)
      }
      // A process that was stopped reads its sockets before its timers run. Its claim may have expired by then.
      if (signal.aborted || performance.now() - askedAt > windowMs + LATE_MS) {
        window.leave()
        throw new NoAnswer('stopped before it was sent', false)
      }
      const request = { command, fields, timeoutMs: responseMs, signal, onLate }
      return requests.write(request, () => {
        window.leave()
      })
    },
    control: (command, fields, timeoutMs) => requests.write({ command, fields, timeoutMs, signal: NEVER }),
    answer,
    refuse,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    leave: async (because, limitMs) => {
      isLeaving = true
      window.end(new NoAnswer(because.message, false))
      const over = new AbortController()
      await Promise.race([
        requests.allSettled(),
        sleep(limitMs, undefined, { signal: over.signal }).catch(() => undefined),
      ])
      over.abort()
    },
    end,
  }
}
