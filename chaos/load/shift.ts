import type { Ledger } from '../ledger.js'
import type { Installation } from '../installation.js'
import type { Caller } from './caller.js'

/** What every client of a load is given. */
export interface Shift {
  installation: Installation
  caller: Caller
  ledger: Ledger
  isOver: () => boolean
  /** Resolves when messages may come in. */
  whenInbound: () => Promise<void>
  /** The pause of a client between two messages; a slow load's is longer. */
  pause: (ms: number) => Promise<void>
}

/** The numbers of other people. Each group has numbers of its own. */
export function numberOf(group: number, n: number): string {
  return `+1415${String(2000000 + group * 10_000 + n)}`
}

export function idOf(conversation: string, sequence: number): string {
  return `${conversation}-${String(sequence).padStart(4, '0')}`
}

export function now(): number {
  return performance.timeOrigin + performance.now()
}
