import { MESSAGE_EVENT_TYPES, OPT_IN_EVENT_TYPES, type EventType } from '../../src/event-types.js'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { stopSignal } from '../../dev/start/stop-signal.js'
import type { ReplayOutcome } from '../../src/database/endpoints/replaying.js'
import type { Context } from '../../src/domain/context.js'
import {
  countReplay,
  DEFAULT_RATE,
  MAX_RATE,
  REPLAY_OUTCOMES,
  startReplay,
  type ReplayOf,
} from '../../src/domain/endpoints/deliveries/replay.js'
import { getEndpoint } from '../../src/domain/endpoints/endpoints.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { UserError } from '../../src/errors.js'
import { run } from '../run.js'
import { moment, TIMES } from './list-options.js'
import { wholeNumber } from '../whole-number.js'
import { showTask, whenTaskIsOver } from './task.js'

interface ReplayCommandOptions {
  since: Date
  until?: Date
  line?: string
  allLines?: boolean
  endpoint?: string
  type?: EventType
  outcome: ReplayOutcome
  toUrl?: string
  rate: number
  dryRun?: boolean
  detach?: boolean
  json?: boolean
}

/** The query counts a month's worth. */
const STATEMENT_MS = 30_000

export function addEventCommands(program: Command): void {
  const event = program.command('event').description('events that endpoints receive')

  event
    .command('replay')
    .description('replay the events of a time range, oldest first, to their endpoints or to another URL')
    .requiredOption('--since <time>', `start of the time range: ${TIMES}`, moment)
    .option('--until <time>', 'end of the time range (default: now)', moment)
    .option('--line <line>', 'only this line, by ID or number')
    .option('--all-lines', 'all lines')
    .option('--endpoint <id>', 'only this endpoint')
    .addOption(
      new Option('--type <type>', 'only events of this type').choices([
        ...MESSAGE_EVENT_TYPES,
        ...OPT_IN_EVENT_TYPES,
      ]),
    )
    .addOption(
      new Option('--outcome <outcome>', 'only events that were not delivered, or only those that were')
        .choices(REPLAY_OUTCOMES)
        .default('any'),
    )
    .option('--to, --to-url <url>', 'POST each event to this URL instead of retrying its deliveries')
    .option('--rate <count>', `the maximum number per second, up to ${MAX_RATE}`, rate, DEFAULT_RATE)
    .option('--dry-run', 'only count them')
    .option('--detach', 'do not wait for it to finish; see `linehook task`')
    .option('--json', 'print JSON')
    .action((options: ReplayCommandOptions) => {
      const stopping = stopSignal()
      return run(options, (context) => replay(context, options, stopping), {
        statementTimeoutMs: STATEMENT_MS,
      })
    })
}

async function replay(context: Context, options: ReplayCommandOptions, signal: AbortSignal) {
  const { since, until, type, outcome, toUrl, rate: perSecond } = options
  const whose = await readReplayOf(context, options)
  const request = {
    ...{ from: since, until, outcome, perSecond, url: toUrl },
    ...(type === undefined ? {} : { types: [type] }),
  }
  if (options.dryRun === true) {
    const { count, isMore } = await countReplay(context, whose, request)
    return {
      result: { count, isMore },
      lines: [`${isMore ? 'more than ' : ''}${count} would be replayed`],
    }
  }
  const task = await startReplay(context, whose, request)
  const last = options.detach === true ? task : await whenTaskIsOver(context, task, signal)
  if (['stopped', 'failed'].includes(last.status) || last.failedCount > 0) process.exitCode = 1
  return showTask(context, last)
}

async function readReplayOf(
  context: Context,
  { line, allLines, endpoint: endpointId }: ReplayCommandOptions,
): Promise<ReplayOf> {
  if ([line !== undefined, allLines === true, endpointId !== undefined].filter(Boolean).length !== 1) {
    throw new UserError('Give --line or --endpoint, or --all-lines to replay the events of every line')
  }
  if (endpointId !== undefined) {
    const caller = { isOperator: true } as const
    const { id, userId } = await getEndpoint(context, caller, endpointId)
    return { of: 'endpoint', caller, endpointId: id, userId }
  }
  if (line === undefined) return { of: 'all' }
  const { id: lineId, userId } = await getAnyLine(context, line)
  return { of: 'line', userId, lineId }
}

function rate(written: string): number {
  const count = wholeNumber(written)
  if (count < 1 || count > MAX_RATE) throw new InvalidArgumentError(`It must be between 1 and ${MAX_RATE}.`)
  return count
}
