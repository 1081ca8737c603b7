import type { Ledger } from '../ledger.js'
import type { Installation } from '../installation.js'
import { createCaller, type Caller } from './caller.js'
import { bringBySmpp, bringPictures, bringTexts } from './inbound.js'
import { crowdLine } from './limited.js'
import { postPictures } from './pictures.js'
import { converse, postToStrangers } from './texts.js'

export interface Load {
  /** Nobody brings anything until `resumeInbound`. */
  pauseInbound: () => void
  resumeInbound: () => void
  /** Resolves when the last answer has come. */
  stop(): Promise<void>
}

/** What every client of a load has. */
export interface Shift {
  installation: Installation
  caller: Caller
  ledger: Ledger
  isOver: () => boolean
  /** Resolves when things may be brought. */
  whenInbound: () => Promise<void>
}

/** Clients that go on, whatever they are answered, and write all of it down. */
export function startLoad(installation: Installation, ledger: Ledger): Load {
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
  const clients = [
    ...converse(shift),
    postToStrangers(shift),
    ...bringTexts(shift),
    crowdLine(shift),
    ...postPictures(shift),
    bringPictures(shift),
    bringBySmpp(shift),
  ]
  // Who breaks is heard of when all are told to stop.
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

/** Numbers of other people: each group has its own. */
export function numberOf(group: number, n: number): string {
  return `+1415${String(2000000 + group * 10_000 + n)}`
}

export function idOf(conversation: string, sequence: number): string {
  return `${conversation}-${String(sequence).padStart(4, '0')}`
}

export function now(): number {
  return performance.timeOrigin + performance.now()
}
