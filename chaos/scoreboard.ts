import type { Fault } from './fault.js'
import type { Result } from './experiment.js'
import { findMissed, goalsOf, isTime } from './goals.js'
import type { Score } from './score.js'

const COLUMNS: { title: string; key: keyof Score }[] = [
  { title: 'acknowledged', key: 'acknowledged' },
  { title: 'lost', key: 'lost' },
  { title: 'unknown', key: 'unknown' },
  { title: 'doubled', key: 'doubled' },
  { title: 'two IDs', key: 'twoIds' },
  { title: 'unheard', key: 'unheard' },
  { title: 'out of order', key: 'outOfOrder' },
  { title: 'over limits', key: 'overLimits' },
  { title: 'refused but done', key: 'refusedButDone' },
  { title: 'shortfall (%)', key: 'shortfall' },
  { title: '500s', key: 'answers500' },
  { title: 'outage (s)', key: 'outageMs' },
  { title: 'back (s)', key: 'backMs' },
  { title: 'recovered (s)', key: 'recoverMs' },
  { title: 'drained (s)', key: 'drainMs' },
]

/** The table has a row for each fault and seed. A figure that misses its goal has the goal beside it. */
export function scoreboard(results: readonly Result[], faults: readonly Fault[]): string {
  return table(['fault', 'seed', ...COLUMNS.map(({ title }) => title)], rowsOf(results, faults))
}

function rowsOf(results: readonly Result[], faults: readonly Fault[]): string[][] {
  return results.map((result) => {
    const fault = faultOf(result, faults)
    const missed = findMissed(fault, result)
    const goals = goalsOf(fault, result.faultMs)
    const cells = COLUMNS.map(({ key }) => {
      const show = (value: number) => (isTime(key) ? seconds(value) : String(value))
      const goal = goals[key]
      const isMissed = goal !== undefined && missed.includes(key)
      return show(result.score[key]) + (isMissed ? ` ✗ (${show(goal)})` : '')
    })
    return [result.fault, String(result.seed), ...cells]
  })
}

/** The table of docs/reliability.md. It has a row for each fault, with the worst of its seeds in each column. */
export function markdown(results: readonly Result[], faults: readonly Fault[]): string {
  const header = ['fault', 'what happens', ...COLUMNS.map(({ title }) => title)]
  const names = [...new Set(results.map(({ fault }) => fault))]
  const rows = names.map((name) => {
    const runs = results.filter(({ fault }) => fault === name)
    const about = faults.find((fault) => fault.name === name)?.about ?? ''
    const cells = COLUMNS.map(({ key }) => {
      const values = runs.map(({ score }) => score[key])
      if (key === 'acknowledged') return String(values.reduce((sum, value) => sum + value, 0))
      return isTime(key) ? seconds(Math.max(...values)) : String(Math.max(...values))
    })
    return [name, about, ...cells]
  })
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

function faultOf({ fault }: Result, faults: readonly Fault[]): Fault {
  const found = faults.find(({ name }) => name === fault)
  if (found === undefined) throw new Error(`there is no fault ${fault}`)
  return found
}

function seconds(ms: number): string {
  return Number.isFinite(ms) ? (ms / 1000).toFixed(1) : 'never'
}

function table(header: string[], rows: string[][]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return [line(header), ...rows.map(line)].join('\n')
}
