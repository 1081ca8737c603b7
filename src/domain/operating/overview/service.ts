/** The state of a service that everything depends on: Postgres, Redis, the storage. */
export interface ServiceView {
  mood: 'good' | 'waiting' | 'bad'
  /** The faults and their fixes, a sentence or two each. */
  faults: ServiceFault[]
  /** The figures with their labels. */
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

/** Above the first share, an operator should look; above the second, it is urgent. */
const HIGH = 0.8
const FULL = 0.95

/** @returns undefined if there is room */
export function moodOfShare(share: number): 'waiting' | 'bad' | undefined {
  if (share >= FULL) return 'bad'
  return share >= HIGH ? 'waiting' : undefined
}
