import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runSource, type RunningProcess } from '../../test/helpers/process/processes.js'
import { until } from '../../test/helpers/until.js'

const START_LIMIT_MS = 60_000

/** A process that stands in for someone whom an installation talks to. It writes down what it saw. */
export interface StandIn<Seen> {
  url: string
  /** What else it said of itself. */
  told: Record<string, unknown>
  seen(): Promise<Seen[]>
  end(): Promise<void>
}

export async function startStandIn<Seen>(
  kind: 'carrier' | 'telnyx' | 'receiver' | 'smsc' | 'media',
  folder: string,
  name: string = kind,
): Promise<StandIn<Seen>> {
  const file = join(folder, `${name}.jsonl`)
  const running = runSource(`chaos/stand-ins/${kind}.ts`, { RECORD: file }, { name })
  const told = await until(`${name} has started`, () => announcementOf(running), START_LIMIT_MS)
  return {
    url: String(told.url),
    told,
    seen: async () => {
      const text = await readFile(file, 'utf8').catch(() => '')
      const lines = text.split('\n').slice(0, -1)
      return lines.map((line) => JSON.parse(line) as Seen)
    },
    end: () => running.kill('SIGKILL'),
  }
}

function announcementOf(running: RunningProcess): Record<string, unknown> | undefined {
  if (!running.isRunning()) throw new Error(`it ended:\n${running.lines.join('\n')}`)
  return running.log().find(({ msg }) => msg === 'process.started')
}
