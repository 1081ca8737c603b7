import type { Ledger } from './ledger.js'
import type { Installation, Layout } from './installation.js'
import type { Load, LoadKind } from './load/load.js'
import type { Random } from './random.js'
import type { Goals, Goodput } from './score.js'

export interface World extends Installation {
  load: Pick<Load, 'pauseInbound' | 'resumeInbound'>
  ledger: Ledger
  /** The run does not end before this does. */
  meanwhile: (work: Promise<unknown>) => void
  /** Notes how many texts a second were accepted, and how many are when nobody asks for more than can be done. */
  noteGoodput: (goodput: Goodput) => void
  random: Random
  /** Tells a person who watches the run what is being done. */
  say: (what: string) => void
}

/** Something that goes wrong, and is mended afterwards. */
export interface Fault {
  name: string
  /** A sentence that says what happens. */
  about: string
  layout?: Partial<Layout>
  /** Says why it cannot be done on this machine; undefined: it can. */
  missing?: () => string | undefined
  /** By default `usual`. With `small` it brings a load of its own, and has the machine for itself. */
  load?: LoadKind
  /** Whether it begins together with the load. Otherwise the load runs for a moment before. */
  fromTheBeginning?: boolean
  /** How long the load goes on afterwards, if that is not the usual time. */
  afterMs?: number
  /** Does harm and mends it. The load runs meanwhile, and continues afterwards. */
  inflict(world: World): Promise<void>
  /**
   * When web need not accept. `during`: it cannot accept while the fault lasts. `never`: a fault of this kind is no excuse.
   */
  accepting: 'during' | 'never'
  /**
   * The moment from which recovery is counted, by default `end`. It is `start` where what is broken stays broken, so that
   * Linehook has to find a way around it.
   */
  recoversFrom?: 'start' | 'end'
  /** The goals that differ from the usual ones. */
  goals?: Goals
}
