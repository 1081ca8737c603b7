import type { Context } from '../../../src/domain/context.js'
import { getWork, type Work } from '../../../src/domain/operating/works.js'
import { goOnWithWork } from '../../../src/domain/operating/works/run.js'

/** As the jobs of a work do, batch after batch, without the waits between them. @param maxBatches then it is left as it is */
export async function goOn(context: Context, { id }: { id: string }, maxBatches = Infinity): Promise<Work> {
  for (let n = 0; n < maxBatches; n += 1) {
    await context.db('works').where({ id }).update({ due_at: context.db.fn.now() })
    const inMs = await goOnWithWork(context, id, () => Promise.resolve())
    if (inMs === undefined) break
  }
  return getWork(context, undefined, id)
}
