import type { Database } from '../../database/connection.js'
import { transaction } from '../../database/connection.js'
import { requestStop, findTask, insertTask, type NewTask, type Task } from '../../database/operating/tasks.js'
import { UserError } from '../../errors.js'
import { isId, newId } from '../../ids.js'
import { record, type Act } from './audit.js'
import type { Context } from '../context.js'

export type { Task } from '../../database/operating/tasks.js'

/**
 * The most tasks that a user, an application, or all operators at the command line together may have; any more are
 * refused.
 */
const MAX_OPEN_TASKS = 3

/**
 * Adds a background task, which `maintenance` works on until it is done: the row is its record, and its job only says
 * that it exists.
 *
 * @param task.id an id that the caller has chosen: a second call returns the task of the first
 * @param withIt writes the other rows that belong to it, in the same transaction
 * @throws UserError 409 if too many are under way
 */
export async function addTask(
  context: Context,
  task: Omit<NewTask, 'id'> & { id?: string },
  act: Act,
  withIt: (trx: Database) => Promise<void> = () => Promise.resolve(),
): Promise<Task> {
  const { db, queues } = context
  const { id = newId(), userId } = task
  // It is read here: after the commit, an outage would look as if there were no task, and a repeat would add another.
  const added = await transaction(db, async (trx) => {
    if (!(await insertTask(trx, { ...task, id }, MAX_OPEN_TASKS))) {
      const known = userId === null ? undefined : await findTask(trx, userId, id)
      if (known !== undefined) return known
      throw new UserError(
        `${MAX_OPEN_TASKS} background tasks are already running. Wait until one is done, or stop one`,
        409,
      )
    }
    await withIt(trx)
    await record(context, trx, act)
    return required(trx, undefined, id)
  })
  void queues.enqueueTasks([{ id, generation: 0 }])
  return added
}

/**
 * @param userId undefined for operators, who may see any user's
 * @throws UserError 404
 */
export async function getTask({ db }: Context, userId: string | undefined, id: string): Promise<Task> {
  return required(db, userId, id)
}

/**
 * Stops a task: what is done stays done, and a batch under way finishes.
 *
 * @param userId undefined for operators, who may stop any user's
 * @throws UserError 404, 409 if it is over
 */
export async function stopTask(context: Context, userId: string | undefined, id: string): Promise<Task> {
  const { db, queues } = context
  const task = await required(db, userId, id)
  const { job, stopped } = await transaction(db, async (trx) => {
    const asked = await requestStop(trx, task.id)
    if (asked === undefined) throw new UserError('This task has already ended', 409)
    const { isFirst, ...job } = asked
    const stopped = await required(trx, userId, id)
    if (isFirst) {
      const { kind, doneCount, totalCount } = stopped
      const act = { action: 'task.stopped', subjectId: task.id, userId: task.userId } as const
      await record(context, trx, { ...act, after: { kind, doneCount, totalCount } })
    }
    return { job, stopped }
  })
  void queues.enqueueTasks([job])
  return stopped
}

async function required(db: Database, userId: string | undefined, id: string): Promise<Task> {
  const task = isId(id) ? await findTask(db, userId, id) : undefined
  if (task === undefined) throw new UserError('No such task', 404)
  return task
}
