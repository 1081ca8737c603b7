import type { Ledger } from '../ledger.js'
import type { Installation } from '../installation.js'
import { createCaller, type Caller } from './caller.js'
import { bringBySmpp, bringPictures, bringTexts } from './inbound.js'
import { crowdLine } from './limited.js'
import { postPictures } from './pictures.js'
import { converse, postToStrangers } from './texts.js'

export interface Load {
  /** Nothing comes in until `resumeInbound`. */
  pauseInbound: () => void
  resumeInbound: () => void
  /** Resolves when the last answer has come. */
  stop(): Promise<void>
}

/** What every client of a load is given. */
export interface Shift {
  installation: Installation
  caller: Caller
  ledger: Ledger
  isOver: () => boolean
  /** Resolves when messages may come in. */
  whenInbound: () => Promise<void>
}

/** Starts clients that go on whatever they are answered, and that write down all of it. A small load has two of them. */
export function startLoad(installation: Installation, ledger: Ledger, isSmall = false): Load {
  const stopping = new AbortController()
  const caller = createCaller(installation.webUrls)
  let inbound = Promise.resolve()
  let resumeInbound: () => void = () => undefined
  const shift: Shift = {
    installation,
    caller,
    ledger,
    isOver: () => stopping.signal.aborted,
    whenInbound: () => inbound,
  }
  const clients = isSmall
    ? [postToStrangers(shift), ...bringTexts(shift, 1)]
    : [
        ...converse(shift),
        postToStrangers(shift),
        ...bringTexts(shift),
        crowdLine(shift),
        ...postPictures(shift),
        bringPictures(shift),
        bringBySmpp(shift),
      ]
  // The error of a client that breaks is thrown by `stop`.
  for (const client of clients) client.catch(() => undefined)
  return {
    pauseInbound: () => {
      inbound = new Promise((resolve) => {
        resumeInbound = () => {
          resolve()
        }
      })
    },
    resumeInbound: () => {
      resumeInbound()
    },
    stop: async () => {
      stopping.abort()
      resumeInbound()
      await Promise.all(clients)
      await caller.close()
    },
  }
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
