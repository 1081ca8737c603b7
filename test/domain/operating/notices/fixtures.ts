import type { Context } from '../../../../src/domain/context.js'
import { MailFailed, type Mail } from '../../../../src/mail.js'

/** The mailer of a server whose last answer is lost: each mail arrives, and seems to have failed. */
export function losingAnswers(context: Context): Context {
  const { mailer } = context
  if (mailer === undefined) throw new Error('no mailer')
  const send = async (mail: Mail) => {
    await mailer.send(mail)
    throw new MailFailed('timeout', undefined, true)
  }
  return { ...context, mailer: { ...mailer, send } }
}

export interface ToldNotice {
  id: string
  kind: string
  subject: string
  user_id: string | null
  details: Record<string, unknown>
}

/** What was told, oldest first. */
export async function toldNotices({ db }: Context, kind?: string): Promise<ToldNotice[]> {
  const told = db('notices').orderBy('id').select<ToldNotice[]>('id', 'kind', 'subject', 'user_id', 'details')
  if (kind !== undefined) void told.where({ kind })
  return told
}

export async function kindsTold(context: Context): Promise<string[]> {
  return (await toldNotices(context)).map(({ kind }) => kind)
}

/** As if everything had been told, and begun, so much earlier. */
export async function letTimePass({ db }: Context, interval: string): Promise<void> {
  await db('notice_causes').update({
    since: db.raw('since - ?::interval', [interval]),
    told_at: db.raw('told_at - ?::interval', [interval]),
    ended_at: db.raw('ended_at - ?::interval', [interval]),
  })
}

export async function forgetNotices({ db }: Context): Promise<void> {
  for (const table of ['dispatches', 'notices', 'notice_causes']) await db(table).delete()
}

/** Those of the user's lines and applications. */
export async function setEndpoint(
  { db }: Context,
  userId: string,
  columns: Partial<{
    failing: string | null
    failures: number
    disabled: 'gone' | 'failing' | 'owner_disabled' | null
    isCalled: boolean
  }>,
): Promise<string> {
  const { failing = null, failures = 0, disabled = null, isCalled = true } = columns
  const [row] = await db('endpoints')
    .where({ user_id: userId })
    .whereRaw('num_nonnulls(line_id, application_id) = 1')
    .update({
      failing_since: failing === null ? null : db.raw('now() - ?::interval', [failing]),
      consecutive_failure_count: failures,
      disabled_at: disabled === null ? null : db.fn.now(),
      disabled_reason: disabled,
      called_at: isCalled ? db.fn.now() : null,
    })
    .returning<{ id: string }[]>('id')
  if (row === undefined) throw new Error('the user has no endpoint')
  return row.id
}
