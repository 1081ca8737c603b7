import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { TASK_FIELDS } from '../../src/database/operating/tasks.js'
import type { Context } from '../../src/domain/context.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { listTasks } from '../../src/database/operating/tasks.js'
import { getTask, stopTask, type Task } from '../../src/domain/operating/tasks.js'
import { UserError } from '../../src/errors.js'
import { present } from '../../src/shape.js'
import { run } from '../run.js'
import { table } from '../terminal.js'

const LIMIT = 50
const LOOK_MS = 500
/** This is longer than `maintenance` needs to take a job. */
const NOBODY_TAKES_IT_MS = 20_000

export function addTaskCommands(program: Command): void {
  const task = program
    .command('task')
    .description('background tasks, such as replays, sending of held events, and imports')

  task
    .command('list')
    .description('list the newest background tasks and their progress')
    .option('--user <email>', 'only tasks of this user')
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .action((options: { user?: string; json?: boolean; csv?: boolean }) =>
      run(options, async (context) => {
        const owner = options.user === undefined ? undefined : await getUserByEmail(context, options.user)
        const tasks = await listTasks(context.db, owner?.id, { limit: LIMIT })
        return {
          result: tasks.map((each) => shownTask(context, each)),
          lines:
            tasks.length === 0
              ? ['There are no background tasks.']
              : table(
                  tasks.map((each) => [
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
    answer: (context: Context, id: string) => Promise<Task>,
  ) =>
    task
      .command(name)
      .description(description)
      .argument('<id>', 'ID of the task')
      .option('--json', 'print JSON')
      .action((id: string, options: { json?: boolean }) =>
        run(options, async (context) => {
          const found = await answer(context, id)
          return { result: shownTask(context, found), lines: linesOfTask(found) }
        }),
      )
  onOne('show', 'show the progress of a background task', (context, id) => getTask(context, undefined, id))
  onOne('stop', 'stop a background task; work already done is kept', (context, id) =>
    stopTask(context, undefined, id),
  )
}

/** The fields that `--json` prints, which are those of /v1. */
export function shownTask({ vocabulary }: Context, task: Task): unknown {
  return vocabulary.fields(present(TASK_FIELDS, task))
}

export function linesOfTask(task: Task): string[] {
  const { id, kind, status, failedCount, lastFailure, error } = task
  return [
    `${kind} ${id} is ${status}: ${howFar(task)}`,
    ...(failedCount === 0 ? [] : [`${failedCount} failed, most recently with ${lastFailure ?? 'no reason'}`]),
    ...(error === null ? [] : [`Reason: ${error}`]),
  ]
}

function howFar({ doneCount, failedCount, totalCount }: Task): string {
  return `${doneCount + failedCount} of ${totalCount ?? 'many'}`
}

/** It may have ended at this very moment. */
function ignoreOver(error: unknown): void {
  if (!(error instanceof UserError)) throw error
}

/** Shows people the progress of a task that the service's processes run; a signal stops it. */
export async function whenTaskIsOver(context: Context, started: Task, signal: AbortSignal): Promise<Task> {
  const startedAt = performance.now()
  let isStopping = false
  let hasWarned = false
  for (;;) {
    const task = await getTask(context, undefined, started.id)
    if (process.stderr.isTTY) process.stderr.write(`\r${howFar(task)} `)
    if (task.endedAt !== null) {
      if (process.stderr.isTTY) process.stderr.write('\n')
      return task
    }
    if (signal.aborted && !isStopping) {
      isStopping = true
      await stopTask(context, undefined, task.id).catch(ignoreOver)
    }
    if (!hasWarned && task.startedAt === null && performance.now() - startedAt > NOBODY_TAKES_IT_MS) {
      hasWarned = true
      process.stderr.write('Not started yet. Check that `maintenance` is running.\n')
    }
    await sleep(LOOK_MS, undefined, isStopping ? {} : { signal }).catch(() => undefined)
  }
}
