import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '../ledger.js'
import type { Installation } from '../installation.js'
import { createCaller } from './caller.js'
import { bringBySmpp, bringPictures, bringTexts } from './inbound.js'
import { crowdLine } from './limited.js'
import { postPictures } from './pictures.js'
import type { Shift } from './shift.js'
import { converse, postToStrangers } from './texts.js'

export interface Load {
  /** Nothing comes in until `resumeInbound`. */
  pauseInbound: () => void
  resumeInbound: () => void
  /** Resolves when the last answer has come. */
  stop(): Promise<void>
}

/** `small` has two clients. `slow` has all of them at a third of the pace, for runs that take minutes. */
export type LoadKind = 'usual' | 'small' | 'slow'

/** Starts clients that go on whatever they are answered, and that write down all of it. */
export function startLoad(installation: Installation, ledger: Ledger, kind: LoadKind): Load {
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
    pause: (ms) => sleep(kind === 'slow' ? 3 * ms : ms),
  }
  const clients =
    kind === 'small'
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
