import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { DiagnosticsChannel } from 'undici'

/**
 * How long each part of an exchange took, in whole milliseconds. A part that was not begun is absent: a host that is an
 * address is not looked up, and on a connection that was kept there is only the wait for the answer.
 */
export interface Phases {
  dnsMs?: number
  connectMs?: number
  tlsMs?: number
  /** The time from the request on the wire to the head of its answer. */
  firstByteMs?: number
}

/** Measures parts that follow each other. A part that fails is measured too, since it is where the time went. */
export class PhaseClock {
  readonly phases: Phases = {}
  #phase: keyof Phases | undefined
  #since = 0

  /** Ends the part before it. */
  begin(phase: keyof Phases): void {
    this.end()
    this.#phase = phase
    this.#since = performance.now()
  }

  end(): void {
    if (this.#phase !== undefined) this.phases[this.#phase] = Math.round(performance.now() - this.#since)
    this.#phase = undefined
  }
}

/** The phases of sockets that no request was sent on yet. */
const opening = new WeakMap<Socket, Phases>()

export function noteOpening(socket: Socket, phases: Phases): void {
  opening.set(socket, phases)
}

let tellSocket: ((socket: Socket) => void) | undefined

/**
 * Passes on the socket of the request that undici starts right now, and how long it took to open it; undefined if this
 * is not the first request on it. undici tells a handler of the start but not of the socket. It publishes the socket in
 * the same turn, right after it.
 */
export function onSocket(tell: (socket: Socket, phases: Phases | undefined) => void): void {
  tellSocket = (socket) => {
    const phases = opening.get(socket)
    opening.delete(socket)
    tell(socket, phases)
  }
}

subscribe('undici:client:sendHeaders', (message) => {
  tellSocket?.((message as DiagnosticsChannel.ClientSendHeadersMessage).socket)
  tellSocket = undefined
})
