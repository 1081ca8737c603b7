/** How something that everything rests on is: Postgres, Redis, the storage. */
export interface ServiceView {
  mood: 'good' | 'waiting' | 'bad'
  /** What is wrong and what mends it, a sentence or two each. */
  faults: ServiceFault[]
  /** Label and figure. */
  facts: [label: string, figure: string][]
}

export interface ServiceFault {
  mood: 'waiting' | 'bad'
  text: string
}

export function serviceView(faults: ServiceFault[], facts: ServiceView['facts']): ServiceView {
  const mood = faults.some((fault) => fault.mood === 'bad') ? 'bad' : faults.length > 0 ? 'waiting' : 'good'
  return { mood, faults, facts }
}

/** A share above which somebody should look, and one above which it is high time. */
const HIGH = 0.8
const FULL = 0.95

/** undefined: there is room. */
export function moodOfShare(share: number): 'waiting' | 'bad' | undefined {
  if (share >= FULL) return 'bad'
  return share >= HIGH ? 'waiting' : undefined
}
