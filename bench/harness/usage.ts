import { readFileSync } from 'node:fs'

/** Linux counts processor time in such ticks (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100

/** The seconds of processor time that a process has used; NaN where there is no /proc. */
export function cpuSecondsOf(pid: number): number {
  const line = read(`/proc/${pid}/stat`)
  // The process's name stands before them, and may have spaces and brackets.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? NaN) + Number(fields[12] ?? NaN)) / TICKS_PER_SECOND
}

/** The resident memory of a process; NaN where there is no /proc. */
export function residentMbOf(pid: number): number {
  return sizeOf(pid, 'VmRSS')
}

/** The largest resident memory that the process has had. */
export function peakMbOf(pid: number): number {
  return sizeOf(pid, 'VmHWM')
}

function sizeOf(pid: number, name: string): number {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(read(`/proc/${pid}/status`))?.[1]
  return Number(kilobytes ?? NaN) / 1024
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
