import type { Command } from 'commander'
import { countQueued } from '../../../src/database/messages/queueing.js'
import { countQueuedBefore } from '../../../src/database/messages/stranded.js'
import {
  findAllSending,
  listPaused,
  type AllSending,
  type PausedThing,
} from '../../../src/database/operating/pauses.js'
import type { Context } from '../../../src/domain/context.js'
import { countOf } from '../../../src/domain/operating/overview/figures.js'
import { COMMAND_LINE, pauseAllSending, resumeAllSending } from '../../../src/domain/operating/pauses.js'
import { countTextLists } from '../../../src/database/operating/tasks.js'
import { makeWaitingUnknown, stopListsUnderWay } from '../../../src/domain/messages/send/after-restore.js'
import { run } from '../../run.js'
import { moment, TIMES } from '../list-options.js'

const MAX_PAUSED = 1000
const MAX_COUNTED = 100_000

/** Adds commands that act on all lines, regardless of their owner. */
export function addSendingCommands(program: Command): void {
  const sending = program.command('sending').description('pause and resume sending on all lines')

  const command = (
    name: string,
    description: string,
    work: (context: Context) => Promise<unknown> = () => Promise.resolve(),
  ) => {
    sending
      .command(name)
      .description(description)
      .option('--json', 'print JSON')
      .action((options: { json?: boolean }) =>
        run(options, async (context) => {
          await work(context)
          return report(context)
        }),
      )
  }

  command('pause', 'pause all sending; new messages are accepted but wait', (context) =>
    pauseAllSending(context, COMMAND_LINE),
  )
  command(
    'resume',
    'resume all sending; lines and accounts that were paused separately stay paused',
    (context) => resumeAllSending(context, COMMAND_LINE),
  )
  sending
    .command('after-restore')
    .description(
      'after a restore, mark messages that were waiting in the backup as unknown and stop text lists, so that none is sent twice',
    )
    .option(
      '--before <time>',
      `only messages and lists accepted before this time: ${TIMES}; default: now`,
      moment,
    )
    .option('--dry-run', 'only count them')
    .option('--json', 'print JSON')
    .action((options: AfterRestoreOptions) => run(options, (context) => afterRestore(context, options)))
  command('status', 'show whether sending is on, what is paused and how many messages are waiting')
}

interface AfterRestoreOptions {
  before?: Date
  dryRun?: boolean
  json?: boolean
}

async function afterRestore(
  context: Context,
  { before = new Date(), dryRun: isDryRun = false }: AfterRestoreOptions,
) {
  // The lists come first, because they would queue more messages.
  const listCount = isDryRun
    ? await countTextLists(context.db, before)
    : await stopListsUnderWay(context, before)
  const count = isDryRun
    ? await countQueuedBefore(context.db, before)
    : await makeWaitingUnknown(context, before)
  const are = (number: number) => (number === 1 ? 'is' : 'are')
  return {
    result: { isDryRun, before, count, listCount },
    lines: [
      `${countOf(count, 'waiting message')} ${isDryRun ? 'would become' : are(count)} unknown. Their owners can resend them under Activity, and you can with \`linehook message send-again\``,
      `${countOf(listCount, 'text list')} ${isDryRun ? 'would be' : are(listCount)} stopped. Their owners see which texts have no message`,
    ],
  }
}

async function report({ db }: Context): Promise<{ result: unknown; lines: string[] }> {
  const all = await findAllSending(db)
  const paused = await listPaused(db, MAX_PAUSED)
  const waitingCount = await countQueued(db, MAX_COUNTED)
  return {
    result: { ...all, paused, waitingCount },
    lines: [
      wordsOfAll(all),
      ...paused.map(wordsOf),
      `${waitingCount === MAX_COUNTED ? 'at least ' : ''}${countOf(waitingCount, 'message')} waiting in total`,
    ],
  }
}

function wordsOfAll({ pausedAt, pausedBy }: AllSending): string {
  return pausedAt === null ? 'sending is on' : `all sending is paused ${sinceWhen(pausedAt, pausedBy)}`
}

function wordsOf({ kind, name, pausedAt, pausedBy }: PausedThing): string {
  return `${kind === 'line' ? 'line' : 'carrier account'} ${name} is paused ${sinceWhen(pausedAt, pausedBy)}`
}

function sinceWhen(pausedAt: Date, pausedBy: string | null): string {
  return `since ${pausedAt.toISOString()} by ${pausedBy ?? 'the command line'}`
}
