import type { Fault } from './fault.js'
import type { Result } from './experiment.js'
import type { Goals, Score } from './score.js'

/** The goals of every fault that has no other ones. Times are in ms. */
const GOALS: Goals = {
  lost: 0,
  doubled: 0,
  twoIds: 0,
  outOfOrder: 0,
  overLimits: 0,
  refusedButDone: 0,
  shortfall: 20,
  answers500: 0,
  crashes: 0,
  /** The time that the fault itself takes away is not counted. */
  outageMs: 5000,
  backMs: 5000,
  recoverMs: 10_000,
  /** A lease has to end (15 s), and what was under it has to be done again. */
  drainMs: 40_000,
}

export function goalsOf(fault: Fault, faultMs: number): Goals {
  const goals = { ...GOALS, ...fault.goals }
  const awayMs = fault.accepting === 'during' ? faultMs : 0
  return { ...goals, outageMs: (goals.outageMs ?? 0) + awayMs }
}

export function findMissed(fault: Fault, { score, faultMs }: Result): (keyof Score)[] {
  const goals = Object.entries(goalsOf(fault, faultMs)) as [keyof Score, number][]
  return goals.filter(([name, goal]) => score[name] > goal).map(([name]) => name)
}

/** Times depend on the machine too. Everything else depends on Linehook alone. */
export function isTime(name: keyof Score): boolean {
  return name.endsWith('Ms')
}
