import type { Goals } from './goals.js'
import type { Installation, Layout } from './installation.js'
import type { Load } from './load/load.js'
import type { Random } from './random.js'

export interface World extends Installation {
  load: Pick<Load, 'pauseInbound' | 'resumeInbound'>
  random: Random
  /** What is being done, for who reads along. */
  say: (what: string) => void
}

/** Something that goes wrong, and is right again afterwards. */
export interface Fault {
  name: string
  /** One sentence. */
  about: string
  layout?: Partial<Layout>
  /** Part of the short form: something has failed under it before. */
  isShort?: boolean
  /** Why it cannot be done on this machine. */
  missing?: () => string | undefined
  /** It begins together with the load, which otherwise goes on for a moment before. */
  fromTheBeginning?: boolean
  /** Does harm, and mends it: while it is under way the load goes on, and goes on afterwards. */
  inflict(world: World): Promise<void>
  /**
   * How long nothing need be accepted beside what the fault itself takes away: `during`: web cannot accept while
   * the fault lasts; `never`: no fault of this kind is an excuse.
   */
  accepting: 'during' | 'never'
  /** When recovery is counted from; default `end`. `start`: what is broken stays so, and has to be got around. */
  recoversFrom?: 'start' | 'end'
  /** Where they differ from everybody's. */
  goals?: Goals
}
