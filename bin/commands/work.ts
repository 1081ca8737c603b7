import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { WORK_FIELDS } from '../../src/database/operating/works.js'
import type { Context } from '../../src/domain/context.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { getWork, listWorksOf, stopWork, type Work } from '../../src/domain/operating/works.js'
import { UserError } from '../../src/errors.js'
import { present } from '../../src/shape.js'
import { run } from '../run.js'
import { table } from '../terminal.js'

const LIMIT = 50
const LOOK_MS = 500
/** Longer than `maintenance` needs to take a job. */
const NOBODY_TAKES_IT_MS = 20_000

export function addWorkCommands(program: Command): void {
  const work = program.command('work').description('long works: replays, held events that are sent, imports')

  work
    .command('list')
    .description('list the newest long works and how far they are')
    .option('--user <email>', "only this user's")
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .action((options: { user?: string; json?: boolean; csv?: boolean }) =>
      run(options, async (context) => {
        const owner = options.user === undefined ? undefined : await getUserByEmail(context, options.user)
        const works = await listWorksOf(context, owner?.id, { limit: LIMIT })
        return {
          result: works.map((each) => shownWork(context, each)),
          lines:
            works.length === 0
              ? ['There are none.']
              : table(
                  works.map((each) => [
                    each.createdAt.toISOString(),
                    each.id,
                    each.kind,
                    each.status,
                    howFar(each),
                  ]),
                ),
        }
      }),
    )

  const onOne = (
    name: string,
    description: string,
    answer: (context: Context, id: string) => Promise<Work>,
  ) =>
    work
      .command(name)
      .description(description)
      .argument('<id>', 'of the work')
      .option('--json', 'print JSON')
      .action((id: string, options: { json?: boolean }) =>
        run(options, async (context) => {
          const found = await answer(context, id)
          return { result: shownWork(context, found), lines: linesOfWork(found) }
        }),
      )
  onOne('show', 'show how far a long work is', (context, id) => getWork(context, undefined, id))
  onOne('stop', 'stop a long work: what is done stays done', (context, id) =>
    stopWork(context, undefined, id),
  )
}

/** What `--json` has: as /v1 does. */
export function shownWork({ vocabulary }: Context, work: Work): unknown {
  return vocabulary.fields(present(WORK_FIELDS, work))
}

export function linesOfWork(work: Work): string[] {
  const { id, kind, status, failedCount, lastFailure, error } = work
  return [
    `${kind} ${id} is ${status}: ${howFar(work)}`,
    ...(failedCount === 0 ? [] : [`${failedCount} failed, the last one with ${lastFailure ?? 'no reason'}`]),
    ...(error === null ? [] : [`Why: ${error}`]),
  ]
}

function howFar({ doneCount, failedCount, totalCount }: Work): string {
  return `${doneCount + failedCount} of ${totalCount ?? 'very many'}`
}

/** It may have ended in this moment. */
function ignoreOver(error: unknown): void {
  if (!(error instanceof UserError)) throw error
}

/** Shows how far it is, to people; a signal stops it. The processes of the service do it. */
export async function whenWorkIsOver(context: Context, started: Work, signal: AbortSignal): Promise<Work> {
  const startedAt = performance.now()
  let isStopping = false
  let hasWarned = false
  for (;;) {
    const work = await getWork(context, undefined, started.id)
    if (process.stderr.isTTY) process.stderr.write(`\r${howFar(work)} `)
    if (work.endedAt !== null) {
      if (process.stderr.isTTY) process.stderr.write('\n')
      return work
    }
    if (signal.aborted && !isStopping) {
      isStopping = true
      await stopWork(context, undefined, work.id).catch(ignoreOver)
    }
    if (!hasWarned && work.startedAt === null && performance.now() - startedAt > NOBODY_TAKES_IT_MS) {
      hasWarned = true
      process.stderr.write('Nobody has taken it yet: does `maintenance` run?\n')
    }
    await sleep(LOOK_MS, undefined, isStopping ? {} : { signal }).catch(() => undefined)
  }
}
