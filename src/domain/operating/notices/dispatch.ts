import {
  claimOfOne,
  claimResetLink,
  endDispatches,
  endOldMails,
  putOffDispatches,
  type Dispatch,
  type DispatchKind,
  type Recipient,
} from '../../../database/operating/dispatches.js'
import { findNotices } from '../../../database/operating/notices.js'
import { asError, Unavailable, UserError } from '../../../errors.js'
import { MailFailed, type Mail, type Mailer } from '../../../mail.js'
import { sha256 } from '../../../secrets.js'
import { dispatchAttempts } from '../../../telemetry/metrics.js'
import { backoffMs, type Backoff } from '../../backoff.js'
import type { Context } from '../../context.js'
import { createSetUpLink } from '../../people/set-up-links.js'
import { noticesMail, resetMail, type Letterhead } from './mail.js'

/**
 * The waits are 10 s, 30 s, 90 s, 5 min, 14 min, 40 min, then an hour each. A server that greylists accepts nothing in
 * the first 5 minutes, or 15: the attempts after 7 and 20 minutes come soon after that.
 */
const BACKOFF: Backoff = { baseMs: 10_000, factor: 3, capMs: 3_600_000, jitter: 0.2 }
/** After half a day the server has been fixed, or the news is out of date. */
const MAX_ATTEMPTS = 15
const MAX_HOURS = 12
/** The user who asked for a link is waiting for it. After 20 minutes, they have asked again, or gone. */
const MAX_LINK_ATTEMPTS = 6
const NOTICES_IN_MAIL = 20
/** Other tasks then get their turn, and the next run continues. */
const MAX_IN_RUN = 100

type Outcome = { kind: 'sent' } | { kind: 'failed' | 'retry'; failure: string; isOfServer: boolean }

/**
 * Sends the mails that are due, one after the other: links first, because users wait for them. It stops at the first
 * failure that any other mail would have too. A server that hangs costs one attempt in each run, and no other work
 * waits for this.
 *
 * Mails that wait while no mail server is set end after half a day. Otherwise they would all go out when one is set
 * again, however long after.
 *
 * @returns the number that went out
 */
export async function sendMails(context: Context, signal?: AbortSignal): Promise<number> {
  const { mailer } = context
  if (mailer === undefined) {
    const count = await endOldMails(context.db, MAX_HOURS, 'no_mail_server')
    if (count > 0) context.log.warn({ count, failure: 'no_mail_server' }, 'dispatch.failed')
    return 0
  }
  return inRun(
    signal,
    async () => (await sendResetLink(context, mailer)) ?? (await sendNotices(context, mailer)),
  )
}

/** @param sendNext returns undefined if nothing is due */
async function inRun(
  signal: AbortSignal | undefined,
  sendNext: () => Promise<Outcome | undefined>,
): Promise<number> {
  let count = 0
  for (let n = 0; n < MAX_IN_RUN && signal?.aborted !== true; n += 1) {
    const outcome = await sendNext()
    if (outcome?.kind === 'sent') count += 1
    else if (outcome === undefined || outcome.isOfServer) break
  }
  return count
}

async function sendNotices(context: Context, mailer: Mailer): Promise<Outcome | undefined> {
  const claimed = await claimOfOne(context.db, NOTICES_IN_MAIL)
  const [first] = claimed?.dispatches ?? []
  if (claimed === undefined || first === undefined) return undefined
  const { to, dispatches } = claimed
  const notices = await findNotices(context.db, noticeIdsOf(dispatches))
  // A later attempt may have more to tell than this one, and is another mail then.
  const ids = dispatches.map((dispatch) => dispatch.id).toSorted()
  const id = sha256(ids.join(' ')).toString('hex')
  const outcome = await trySending(context, mailer, first, to, () =>
    Promise.resolve({ id, ...noticesMail(notices, letterheadOf(context, mailer)) }),
  )
  return settle(context, 'mail', dispatches, outcome, to.userId)
}

/** The link is made now: it is in no row, and its hour begins when it is sent. */
async function sendResetLink(context: Context, mailer: Mailer): Promise<Outcome | undefined> {
  const dispatch = await claimResetLink(context.db)
  if (dispatch === undefined) return undefined
  const outcome = await trySending(context, mailer, dispatch, dispatch, async () => {
    const link = await createSetUpLink(context, dispatch.userId, { lifetime: 'an hour' })
    // The link ends that of the last attempt, so mail programs must not take this for the mail that they have.
    const id = `${dispatch.id}.${dispatch.attempt}`
    return { id, ...resetMail(link, letterheadOf(context, mailer)) }
  })
  return settle(context, 'reset_link', [dispatch], outcome, dispatch.userId)
}

async function trySending(
  { log }: Context,
  mailer: Mailer,
  { id: dispatchId }: Dispatch,
  { email }: Recipient,
  write: () => Promise<Omit<Mail, 'to'>>,
): Promise<Outcome> {
  try {
    await mailer.send({ to: email, ...(await write()) })
    return { kind: 'sent' }
  } catch (error) {
    // The account has been disabled since, so there is no link for it.
    if (error instanceof UserError) return { kind: 'failed', failure: 'no_link', isOfServer: false }
    if (error instanceof Unavailable) throw error
    if (!(error instanceof MailFailed)) {
      // A bug of ours counts as an attempt: if the error were rethrown, it would recur every minute forever.
      log.error({ dispatchId, err: asError(error) }, 'dispatch.broken')
      return { kind: 'retry', failure: 'broken', isOfServer: false }
    }
    const { failure, responseCode, isFinal, isOfServer } = error
    const name = responseCode === undefined ? failure : `${failure}_${responseCode}`
    return { kind: isFinal ? 'failed' : 'retry', failure: name, isOfServer }
  }
}

/** The notifications in one mail have separate attempts. */
async function settle(
  { db, log }: Context,
  kind: DispatchKind,
  dispatches: readonly Dispatch[],
  outcome: Outcome,
  userId: string,
): Promise<Outcome> {
  dispatchAttempts.inc({ kind, outcome: outcome.kind })
  // An alert ends when this counter rises, so the counter has to exist before.
  dispatchAttempts.inc({ kind, outcome: 'sent' }, 0)
  const told = { kind, userId, count: dispatches.length }
  if (outcome.kind === 'sent') {
    await endDispatches(db, dispatches, { status: 'sent' })
    log.info(told, 'dispatch.sent')
    return outcome
  }
  const { failure } = outcome
  const maxAttempts = outcome.kind === 'failed' ? 0 : kind === 'reset_link' ? MAX_LINK_ATTEMPTS : MAX_ATTEMPTS
  const last = dispatches.filter(({ attempt }) => attempt >= maxAttempts)
  const others = dispatches.filter(({ attempt }) => attempt < maxAttempts)
  if (last.length > 0) {
    await endDispatches(db, last, { status: 'failed', failure })
    log.warn({ ...told, count: last.length, failure }, 'dispatch.failed')
  }
  if (others.length > 0) {
    const attempt = Math.max(...others.map((each) => each.attempt))
    const ms = backoffMs(attempt, BACKOFF, Math.random())
    await putOffDispatches(db, others, { failure, ms })
    log.warn({ ...told, count: others.length, attempt, failure, retryInMs: ms }, 'dispatch.put_off')
  }
  return outcome
}

function noticeIdsOf(dispatches: readonly Dispatch[]): string[] {
  return dispatches.flatMap(({ noticeId }) => noticeId ?? [])
}

function letterheadOf({ config }: Context, { name }: Mailer): Letterhead {
  return { service: name, publicUrl: config.publicUrl, supportUrl: config.brand.supportUrl }
}
