import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Option, type Command } from 'commander'
import { stopSignal } from '../../dev/start/stop-signal.js'
import type { Context } from '../../src/domain/context.js'
import { createTail, type Tail } from '../../src/domain/endpoints/tail.js'
import type { Step } from '../../src/domain/endpoints/tail/steps.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { Unavailable } from '../../src/errors.js'
import { DELIVERY_STATUSES, MESSAGE_STATUSES } from '../../src/states.js'
import { withContext } from '../run.js'
import { printable, say } from '../terminal.js'
import { shownNumber } from './hidden.js'
import { wholeNumber } from '../whole-number.js'

interface TailOptions {
  line?: string
  status?: string[]
  last: number
  numbers?: boolean
  json?: boolean
}

const EVERY_MS = 1000

export function addTailCommand(program: Command): void {
  program
    .command('tail')
    .description('follow the activity on all lines, one line of text per step, until Ctrl-C')
    .option('--line <line>', 'only this line, by ID or number')
    .addOption(
      new Option('--status <status...>', 'only steps to these statuses').choices([
        ...new Set([...MESSAGE_STATUSES, ...DELIVERY_STATUSES]),
      ]),
    )
    .option('--last <count>', 'how many earlier steps to show first', wholeNumber, 10)
    .option('--numbers', 'show whole phone numbers')
    .option('--json', 'print one JSON object per line')
    .action((options: TailOptions) => {
      const stopping = stopSignal()
      return withContext(options, (context) => printSteps(context, options, stopping))
    })
}

async function printSteps(context: Context, options: TailOptions, stopping: AbortSignal): Promise<void> {
  const line = options.line === undefined ? undefined : await getAnyLine(context, options.line)
  const { last, status: states } = options
  const tail = createTail(context, {
    last,
    ...(line === undefined ? {} : { lineId: line.id }),
    ...(states === undefined ? {} : { states }),
  })
  for (let next = await tail.next(); ; next = await goOn(tail, stopping)) {
    for (const step of next.steps) await write(wordsOf(step, options), stopping)
    if (next.isMissingSome)
      say('There is too much activity to follow, so some steps are left out. Use --line to follow one line.')
    if (await isStopped(stopping)) return
  }
}

/** Waits until it is time to look again. */
async function isStopped(stopping: AbortSignal): Promise<boolean> {
  await sleep(EVERY_MS, undefined, { signal: stopping }).catch(() => undefined)
  return stopping.aborted
}

/** If Postgres is unavailable, retries until it is back, and then reports what has happened in the meantime. */
async function goOn(tail: Tail, stopping: AbortSignal): ReturnType<Tail['next']> {
  let isAway = false
  for (;;) {
    try {
      const next = await tail.next()
      if (isAway) say('Postgres is available again.')
      return next
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      if (!isAway) say('Postgres is unavailable. Waiting until it is back.')
      isAway = true
      if (await isStopped(stopping)) return { steps: [], isMissingSome: false }
    }
  }
}

function wordsOf(step: Step, options: TailOptions): string {
  const { at, kind, id, lineId, lineName, way, state, reason } = step
  const number = shownNumber(step.number, options)
  if (options.json === true) {
    return JSON.stringify({ at, kind, id, lineId, lineName, way, number, state, reason })
  }
  const words = [
    at.toISOString(),
    printable(lineName).padEnd(16),
    way.padEnd(13),
    number.padEnd(12),
    state.padEnd(9),
  ]
  return [...words, printable(reason ?? '')].join('  ').trimEnd()
}

/** Waits for a slow reader; stops if the reader is gone. */
async function write(line: string, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted || process.stdout.write(`${line}\n`)) return
  await once(process.stdout, 'drain', { signal: stopping }).catch(() => undefined)
}
