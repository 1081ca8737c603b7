import { readFileSync } from 'node:fs'
import type { RunningProcess } from '../../helpers/process/processes.js'
import { until } from '../../helpers/until.js'

/** What stories of `linehook start` do with it and read in what it prints. */
export async function untilBanner({ lines }: RunningProcess): Promise<void> {
  await until(
    'the banner',
    () => lines.some((line) => line.includes('Ctrl-C stops everything')),
    120_000,
  ).catch((error: unknown) => {
    throw new Error(lines.join('\n'), { cause: error })
  })
}

export async function textsInOutbox(port: number): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/simulator/outbox`)
  return ((await response.json()) as { text: string }[]).map(({ text }) => text)
}

export function findWebhookUrl({ lines }: RunningProcess): string {
  return /'(http:[^']*token=[^']*)'/.exec(lines.join('\n'))?.[1] ?? ''
}

export function messageTo(toNumber: string, text: string) {
  return { intent: 'message', data: { toNumber, text } }
}

export function inboundText(text: string) {
  return { fromNumber: '+15005550199', toNumber: '+15005550100', text }
}

export async function post(url: string, body: unknown): Promise<unknown> {
  return (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()
}

/** The ids that a process has had. Its lines are `name │ {json}`. */
export function pidsOf({ lines }: RunningProcess, name: string): number[] {
  return lines.flatMap((line) => {
    const [prefix = '', json = ''] = line.split('│')
    if (prefix.trim() !== name || !json.includes('"process.started"')) return []
    return [(JSON.parse(json) as { pid: number }).pid]
  })
}

export function pidOf(started: RunningProcess, name: string): number {
  const pid = pidsOf(started, name).at(-1)
  if (pid === undefined) throw new Error(`${name} has not started:\n${started.lines.join('\n')}`)
  return pid
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z')
  } catch {
    return false
  }
}
