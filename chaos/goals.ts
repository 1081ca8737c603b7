import type { Fault } from './fault.js'
import type { Result } from './experiment.js'
import type { Score } from './score.js'

/** What everybody is measured by; times in ms. */
const GOALS = {
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
  /** A lease (17 s), and what comes after it. */
  drainMs: 40_000,
} as const satisfies Partial<Record<keyof Score, number>>

export type Goal = keyof typeof GOALS

/** Times are the machine's too; everything else is ours alone. */
export function isTime(goal: keyof Score): boolean {
  return goal.endsWith('Ms')
}

export function goalsOf(fault: Fault, faultMs: number): Record<Goal, number> {
  const away = fault.accepting === 'during' ? faultMs : 0
  return { ...GOALS, ...fault.goals, outageMs: (fault.goals?.outageMs ?? GOALS.outageMs) + away }
}

export function findMissed(fault: Fault, { score, faultMs }: Result): Goal[] {
  const goals = goalsOf(fault, faultMs)
  return (Object.keys(goals) as Goal[]).filter((goal) => score[goal] > goals[goal])
}
