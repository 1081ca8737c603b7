import type { Context } from '../../../src/domain/context.js'
import { getTask, type Task } from '../../../src/domain/operating/tasks.js'
import { continueTask } from '../../../src/domain/operating/tasks/run.js'

/** As the jobs of a task do, batch after batch, without the waits between them. @param maxBatches then it is left as it is */
export async function goOn(context: Context, { id }: { id: string }, maxBatches = Infinity): Promise<Task> {
  for (let n = 0; n < maxBatches; n += 1) {
    await context.db('tasks').where({ id }).update({ due_at: context.db.fn.now() })
    const inMs = await continueTask(context, id, () => Promise.resolve())
    if (inMs === undefined) break
  }
  return getTask(context, undefined, id)
}
