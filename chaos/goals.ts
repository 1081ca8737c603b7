import type { Fault } from './fault.js'
import type { Result } from './experiment.js'
import type { Score } from './score.js'

export type Goals = Partial<Record<keyof Score, number>>

/** What everybody is measured by; times in ms. */
const GOALS: Goals = {
  lost: 0,
  doubled: 0,
  twoIds: 0,
  outOfOrder: 0,
  overLimits: 0,
  answers500: 0,
  crashes: 0,
  /** Beside what the fault itself takes away. */
  outageMs: 5000,
  backMs: 5000,
  recoverMs: 10_000,
  /** A lease (15 s), and what comes after it. */
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

/** Times are the machine's too; everything else is ours alone. */
export function isTime(name: keyof Score): boolean {
  return name.endsWith('Ms')
}
