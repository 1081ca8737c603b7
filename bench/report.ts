import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { explainGoal, isMet } from './goals.js'
import type { Figure } from './measure.js'

const FOLDER = 'bench/results'

export function printTable(figures: readonly Figure[]): void {
  const rows = figures.map((figure) => ({
    figure: figure.name,
    value: `${rounded(figure.value)} ${figure.unit}`.trim(),
    beside: figure.yardstick
      ? `${rounded(figure.yardstick.value)} ${figure.unit} ${figure.yardstick.name}`
      : '',
    ratio: figure.ratio === undefined ? '' : figure.ratio.toFixed(2),
    rounds: figure.ratios?.map((ratio) => ratio.toFixed(2)).join(' ') ?? '',
    goal: explainGoal(figure.name, figure.unit),
    reached: { true: 'met', false: 'MISSED', undefined: '' }[String(isMet(figure))] ?? '',
    note: figure.note ?? '',
  }))
  const names = ['figure', 'value', 'beside', 'ratio', 'rounds', 'goal', 'reached', 'note'] as const
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => row[name].length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  console.log(line(names))
  for (const row of rows) console.log(line(names.map((name) => row[name])))
}

export function sayShortly({ name, value, unit, ratio, yardstick }: Figure): string {
  const beside = ratio === undefined ? '' : ` = ${ratio.toFixed(2)} × ${yardstick?.name ?? ''}`
  return `${name}: ${rounded(value)} ${unit}`.trim() + beside
}

/** @returns the file's path */
export function writeResults(
  figures: readonly Figure[],
  about: { seconds: number; loadBefore: number; notMeasured: readonly string[] },
): string {
  const date = new Date().toISOString().slice(0, 10)
  const machine = { node: process.version, cores: cpus().length }
  const results = figures.map((figure) => ({
    ...figure,
    goal: explainGoal(figure.name, figure.unit) || undefined,
    isMet: isMet(figure),
  }))
  mkdirSync(FOLDER, { recursive: true })
  const path = `${FOLDER}/${date}.json`
  writeFileSync(path, `${JSON.stringify({ date, machine, ...about, results }, withFewDigits, 2)}\n`)
  return path
}

function withFewDigits(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

function rounded(value: number): string {
  if (Number.isNaN(value)) return '–'
  return value >= 100 || Number.isInteger(value)
    ? Math.round(value).toLocaleString('en')
    : value.toFixed(value < 1 ? 2 : 1)
}
