import type { Command } from 'commander'
import {
  applyRetention,
  tryRetention,
  type MonthOutcome,
  type Retained,
} from '../../../src/domain/operating/retention/retention.js'
import { run } from '../../run.js'

/** Counting a large month's leftovers takes longer than a request may. */
const STATEMENT_MS = 30_000

interface RetentionOptions {
  dryRun?: boolean
  json?: boolean
}

export function addRetentionCommands(program: Command): void {
  program
    .command('retention')
    .description('deletion of old data')
    .command('run')
    .description('delete data older than the settings allow, as `maintenance` does once a day')
    .option('--dry-run', 'only show what would be deleted, and what is kept and why')
    .option('--json', 'print JSON')
    .action((options: RetentionOptions) =>
      run(
        options,
        async (context) => {
          const retained = await (options.dryRun === true ? tryRetention : applyRetention)(context)
          return { result: retained, lines: linesOf(retained) }
        },
        { statementTimeoutMs: STATEMENT_MS },
      ),
    )
}

function linesOf({ isDryRun, months, excerptCount, mediaCount, hasMore }: Retained): string[] {
  const would = isDryRun ? 'would be ' : ''
  const more = hasMore ? (isDryRun ? ' or more' : '; there are more, so run it again') : ''
  return [
    ...(months.length === 0
      ? ['No month is old enough to be deleted.']
      : months.map((month) => lineOf(month, would))),
    `${excerptCount} excerpts of responses ${would}cleared${more}`,
    `${mediaCount} copies of media ${would}deleted${isDryRun ? more : ''}`,
  ]
}

function lineOf({ kind, month, outcome, why, byteCount, rowCount }: MonthOutcome, would: string): string {
  const size = `${Math.ceil(byteCount / 1024 ** 2)} MiB, about ${Math.round(rowCount)} rows`
  const name = kind === 'audit' ? 'audit log' : 'messages'
  if (outcome !== 'kept') return `${name} ${month ?? ''} ${would}deleted: ${size}`
  const reasons = Object.entries(why).map(([what, count]) => WORDS[what as keyof typeof WORDS](count))
  return `${name} ${month ?? 'outside all months'} kept: ${reasons.join(', ')}`
}

const WORDS: Record<keyof MonthOutcome['why'], (count: number) => string> = {
  messages: (count) => `messages are waiting to be sent (${count})`,
  deliveries: (count) => `deliveries are waiting (${count})`,
  heldDeliveries: (count) => `deliveries are held (${count})`,
  media: (count) => `media are still to be copied (${count})`,
  busy: () => 'its tables were too busy for the short lock this needs',
  storage: () => 'a file of its media could not be deleted',
  stray: () => 'old rows are in the default partition, which is not dropped',
}
