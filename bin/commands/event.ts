import { InvalidArgumentError, Option, type Command } from 'commander'
import { stopSignal } from '../../dev/stop-signal.js'
import { EVENT_TYPES, OPT_IN_EVENT_TYPES, type EventType } from '../../src/database/events.js'
import type { Context } from '../../src/domain/context.js'
import { countReplay, replayEvents, type Replayed } from '../../src/domain/deliveries/replay.js'
import { UserError } from '../../src/errors.js'
import { run } from '../run.js'
import { moment, readWhose, TIMES } from './list-options.js'
import { wholeNumber } from './line.js'

interface ReplayCommandOptions {
  since: Date
  until?: Date
  line?: string
  allLines?: boolean
  type?: EventType
  to?: string
  rate: number
  dryRun?: boolean
  json?: boolean
}

/** A month's worth is counted and paged through. */
const STATEMENT_MS = 30_000
const MAX_RATE = 100

export function addEventCommands(program: Command): void {
  const event = program.command('event').description('what lines tell endpoints')

  event
    .command('replay')
    .description(
      'send the events of a span of time again, oldest first, to where they went or to another URL',
    )
    .requiredOption('--since <time>', `from then on: ${TIMES}`, moment)
    .option('--until <time>', 'before then; now when left out', moment)
    .option('--line <line>', 'of this line: id or number')
    .option('--all-lines', 'of all lines')
    .addOption(
      new Option('--type <type>', 'only events of this type').choices([
        ...EVENT_TYPES,
        ...OPT_IN_EVENT_TYPES,
      ]),
    )
    .option('--to <url>', 'POST each event there, once, instead of giving its deliveries a new round')
    .option('--rate <count>', `how many a second at most, up to ${MAX_RATE}`, rate, 5)
    .option('--dry-run', 'only say how many there are')
    .option('--json', 'print JSON')
    .action((options: ReplayCommandOptions) => {
      const stopping = stopSignal()
      return run(options, (context) => replay(context, options, stopping), {
        statementTimeoutMs: STATEMENT_MS,
      })
    })
}

async function replay(context: Context, options: ReplayCommandOptions, signal: AbortSignal) {
  const { since, until = new Date(), line, allLines, type, to, rate: perSecond } = options
  if ((line === undefined) === (allLines !== true)) {
    throw new UserError('give --line, or --all-lines to replay the events of every line')
  }
  const { lineId } = await readWhose(context, { ...(line === undefined ? {} : { line }) })
  const filter = {
    from: since,
    until,
    ...(lineId === undefined ? {} : { lineId }),
    ...(type === undefined ? {} : { type }),
  }
  const target = to === undefined ? {} : { to }
  if (options.dryRun === true) {
    const totalCount = await countReplay(context, { filter, ...target })
    return { result: { totalCount }, lines: [`${totalCount} would be replayed`] }
  }
  const onProgress = process.stderr.isTTY ? showProgress : undefined
  const done = await replayEvents(context, {
    filter,
    ...target,
    perSecond,
    signal,
    ...(onProgress && { onProgress }),
  })
  if (onProgress !== undefined) process.stderr.write('\n')
  if (done.stoppedBy !== undefined || Object.keys(done.failures).length > 0) process.exitCode = 1
  return { result: done, lines: linesOf(done) }
}

function linesOf({ totalCount, replayedCount, failures, skipped, stoppedBy, lastId }: Replayed): string[] {
  const named = (what: string, counts: Record<string, number>) =>
    Object.entries(counts).map(([why, count]) => `${count} ${what}: ${why}`)
  return [
    `${replayedCount} of ${totalCount} replayed`,
    ...named('failed', failures),
    ...named('skipped', skipped),
    ...(stoppedBy === 'failures' ? ['Stopped, because ten failed in a row: see what answers there.'] : []),
    ...(stoppedBy !== undefined && lastId !== undefined
      ? [`Go on with --since ${momentOf(lastId).toISOString()}; those of that millisecond come twice.`]
      : []),
  ]
}

function showProgress({ totalCount, replayedCount }: Replayed): void {
  process.stderr.write(`\r${replayedCount} of ${totalCount}`)
}

/** When an id was made (UUIDv7). */
function momentOf(id: string): Date {
  return new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))
}

function rate(written: string): number {
  const count = wholeNumber(written)
  if (count < 1 || count > MAX_RATE) throw new InvalidArgumentError(`It must be from 1 to ${MAX_RATE}.`)
  return count
}
