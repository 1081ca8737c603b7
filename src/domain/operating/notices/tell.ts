import type { Database } from '../../../database/connection.js'
import {
  insertAccountMails,
  insertMails,
  insertOwnWebhookCalls,
  insertWebhookCalls,
} from '../../../database/operating/dispatches.js'
import { insertNotices, type NewNotice } from '../../../database/operating/notices.js'
import { newId } from '../../../ids.js'
import { noticesTold } from '../../../telemetry/metrics.js'
import type { Context } from '../../context.js'
import type { NoticeKind } from './kinds.js'

/** With what is to go out of them, in the transaction that they tell of. */
export function insertWithWaysOut(
  context: Pick<Context, 'config'>,
  trx: Database,
  notices: readonly NewNotice[],
): Promise<void> {
  return insertAll(context, trx, notices, insertMails)
}

/**
 * Tells a user, and the operators, of a change to the account that somebody else makes. The mail goes also to who wants none
 * of the others: it is how they learn of a change that they did not ask for.
 */
export async function tellOfAccount(
  context: Pick<Context, 'config'>,
  trx: Database,
  { kind, user, details }: { kind: NoticeKind; user: { id: string }; details: object },
): Promise<void> {
  const notice = { id: newId(), kind, subject: user.id, userId: user.id, details }
  await insertAll(context, trx, [notice], insertAccountMails)
  noticesTold.inc({ kind })
}

async function insertAll(
  { config }: Pick<Context, 'config'>,
  trx: Database,
  notices: readonly NewNotice[],
  insertTheirMails: typeof insertMails,
): Promise<void> {
  const ids = notices.map(({ id }) => id)
  await insertNotices(trx, notices)
  if (config.smtp !== undefined) await insertTheirMails(trx, ids)
  if (config.operationalWebhook !== undefined) await insertWebhookCalls(trx, ids)
  await insertOwnWebhookCalls(trx, ids)
}
