import type { Figure } from './measure.js'

/** What a figure should reach, by its value or by its ratio to the yardstick. */
interface Goal {
  of: 'value' | 'ratio'
  atLeast?: number
  atMost?: number
}

/** All goals by the names of the figures. A figure that is not here has no goal and is only shown. */
const GOALS: Readonly<Record<string, Goal>> = {
  accept: { of: 'ratio', atLeast: 0.2 },
  'receive over HTTP': { of: 'ratio', atLeast: 0.12 },
  'receive over HTTP, refused': { of: 'value', atMost: 0 },
  'receive over SMPP': { of: 'ratio', atLeast: 0.8 },
  send: { of: 'ratio', atLeast: 0.8 },
  'send over SMPP': { of: 'ratio', atLeast: 0.5 },
  'deliver to 50 endpoints': { of: 'ratio', atLeast: 0.7 },
  'deliver to 1 endpoint': { of: 'ratio', atLeast: 0.5 },
  'webhook → carrier, p50': { of: 'value', atMost: 8 },
  'webhook → carrier, refused': { of: 'value', atMost: 0 },
  'webhook → carrier, p99': { of: 'value', atMost: 30 },
  'webhook → SMSC, p50': { of: 'value', atMost: 4 },
  'webhook → SMSC, p99': { of: 'value', atMost: 15 },
  'webhook → SMSC, refused': { of: 'value', atMost: 0 },
  'inbound → endpoint, processor of 1,000': { of: 'value', atMost: 5 },
  'inbound → endpoint, p50': { of: 'value', atMost: 4 },
  'inbound → endpoint, refused': { of: 'value', atMost: 0 },
  'inbound → endpoint, p99': { of: 'value', atMost: 12 },
  '80/s to 1 endpoint of 100 ms, refused': { of: 'value', atMost: 0 },
  '80/s to 1 endpoint of 100 ms, p99': { of: 'value', atMost: 200 },
  '80/s to 1 endpoint of 100 ms, overtaken': { of: 'value', atMost: 0 },
  'beside one that hangs, refused': { of: 'value', atMost: 0 },
  'beside one that hangs, p99': { of: 'value', atMost: 100 },
  'beside one that hangs, throughput': { of: 'ratio', atLeast: 0.9 },
  'beside 5,000 held events that are sent again, p99': { of: 'value', atMost: 250 },
  'beside 5,000 held events that are sent again, outages in the log': { of: 'value', atMost: 0 },
  'full: accept': { of: 'ratio', atLeast: 0.9 },
  'full: send': { of: 'ratio', atLeast: 0.9 },
  'full: deliver': { of: 'ratio', atLeast: 0.9 },
  'kill -9, all that it held delivered': { of: 'value', atMost: 10 },
  'processor at rest': { of: 'value', atMost: 20 },
  'memory at rest, all': { of: 'value', atMost: 650 },
  'memory, largest process': { of: 'value', atMost: 200 },
}

/** @returns undefined if the figure has no goal */
export function isMet(figure: Figure): boolean | undefined {
  const goal = GOALS[figure.name]
  if (goal === undefined) return undefined
  const reached = goal.of === 'ratio' ? figure.ratio : figure.value
  // A goal that could not be measured is not met.
  if (reached === undefined || Number.isNaN(reached)) return false
  return reached >= (goal.atLeast ?? -Infinity) && reached <= (goal.atMost ?? Infinity)
}

export function explainGoal(name: string, unit: string): string {
  const goal = GOALS[name]
  if (goal === undefined) return ''
  const bound = goal.atLeast === undefined ? `≤ ${goal.atMost ?? ''}` : `≥ ${goal.atLeast}`
  return goal.of === 'ratio' ? `${bound} ×` : `${bound} ${unit}`.trim()
}
