import type { Database } from '../../database/connection.js'
import { transaction } from '../../database/connection.js'
import type { Page } from '../../database/pages.js'
import {
  askToStop,
  findWork,
  insertWork,
  listWorks,
  type NewWork,
  type Work,
} from '../../database/operating/works.js'
import { UserError } from '../../errors.js'
import { isId, newId } from '../../ids.js'
import { record, type Act } from './audit.js'
import type { Context } from '../context.js'

export type { Work } from '../../database/operating/works.js'

/** Of a user, of each application, and of operators at the command line together: the next one is refused. */
const MAX_OPEN_WORKS = 3

/**
 * Adds a long work, which `maintenance` goes on with until it is done: the row is its record, and its job only says that
 * it is there.
 *
 * @throws UserError 409 when too many are under way
 */
export async function addWork(context: Context, work: Omit<NewWork, 'id'>, act: Act): Promise<Work> {
  const { db, queues } = context
  const id = newId()
  await transaction(db, async (trx) => {
    if (!(await insertWork(trx, { ...work, id }, MAX_OPEN_WORKS))) {
      throw new UserError(
        `${MAX_OPEN_WORKS} long works are under way already: wait until one of them is done, or stop one`,
        409,
      )
    }
    await record(context, trx, act)
  })
  void queues.enqueueWorks([{ id, generation: 0 }])
  return required(db, undefined, id)
}

/** @param userId undefined: for operators, anybody's. @throws UserError 404 */
export async function getWork({ db }: Context, userId: string | undefined, id: string): Promise<Work> {
  return required(db, userId, id)
}

/** Newest first. @param userId undefined: for operators, everybody's */
export async function listWorksOf(
  { db }: Context,
  userId: string | undefined,
  page: Page,
  only: { lineId?: string | undefined; applicationId?: string | undefined } = {},
): Promise<Work[]> {
  return listWorks(db, userId, page, only)
}

/**
 * What is done stays done; a batch that is under way ends.
 *
 * @param userId undefined: for operators, anybody's
 * @throws UserError 404, 409 when it is over
 */
export async function stopWork(context: Context, userId: string | undefined, id: string): Promise<Work> {
  const { db, queues } = context
  const work = await required(db, userId, id)
  const stopping = await transaction(db, async (trx) => {
    const asked = await askToStop(trx, work.id)
    if (asked === undefined) throw new UserError('this work is over already', 409)
    if (work.stopAskedAt === null) {
      const { kind, doneCount, totalCount } = work
      const act = { action: 'work.stopped', subjectId: work.id, userId: work.userId } as const
      await record(context, trx, { ...act, after: { kind, doneCount, totalCount } })
    }
    return asked
  })
  void queues.enqueueWorks([stopping])
  return required(db, userId, id)
}

async function required(db: Database, userId: string | undefined, id: string): Promise<Work> {
  const work = isId(id) ? await findWork(db, userId, id) : undefined
  if (work === undefined) throw new UserError('no such work', 404)
  return work
}
