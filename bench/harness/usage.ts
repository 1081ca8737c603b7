import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts processor time in such ticks (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100

/** The seconds of processor time that a process has used; NaN where there is no /proc. */
export function cpuSecondsOf(pid: number): number {
  return secondsIn(statOf(pid), 11)
}

/** The same of a process and its children, also of those that have ended: of Postgres, by its first process. */
export function cpuSecondsOfFamily(pid: number): number {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && statOf(Number(name))[1] === String(pid),
  )
  const stat = statOf(pid)
  const ended = secondsIn(stat, 13)
  return children.reduce((sum, child) => sum + cpuSecondsOf(Number(child)), secondsIn(stat, 11) + ended)
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[1])
}

/** The fields of /proc/…/stat behind the process's name, which may have spaces and brackets. */
function statOf(pid: number): string[] {
  const line = read(`/proc/${pid}/stat`)
  return line.slice(line.lastIndexOf(')') + 2).split(' ')
}

/** Of itself (utime and stime, from field 11) or of the children that it has waited for (from 13). */
function secondsIn(stat: readonly string[], first: 11 | 13): number {
  return (Number(stat[first] ?? NaN) + Number(stat[first + 1] ?? NaN)) / TICKS_PER_SECOND
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
