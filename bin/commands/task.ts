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
import { commandsAbout } from '../subject-command.js'
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
          result: tasks.map((each) => fieldsOf(context, each)),
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

  const about = commandsAbout(task, ['<id>', 'ID of the task'], (context, id) =>
    getTask(context, undefined, id),
  )
  about('show', 'show the progress of a background task', (context, found) =>
    Promise.resolve(showTask(context, found)),
  )
  about('stop', 'stop a background task; work already done is kept', async (context, { id }) =>
    showTask(context, await stopTask(context, undefined, id)),
  )
}

/** The fields that `--json` prints, which are those of /v1. */
function fieldsOf({ vocabulary }: Context, task: Task): unknown {
  return vocabulary.fields(present(TASK_FIELDS, task))
}

export function showTask(context: Context, task: Task): { result: unknown; lines: string[] } {
  const { id, kind, status, failedCount, lastFailure, error } = task
  const failures = `${failedCount} failed, most recently with ${lastFailure ?? 'no reason'}`
  return {
    result: fieldsOf(context, task),
    lines: [
      `${kind} ${id} is ${status}: ${howFar(task)}`,
      ...(failedCount === 0 ? [] : [failures]),
      ...(error === null ? [] : [`Reason: ${error}`]),
    ],
  }
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
