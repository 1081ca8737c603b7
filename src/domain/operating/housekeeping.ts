import { deleteLongExpiredTokens } from '../../database/people/api-tokens.js'
import { deleteOldCountryHours } from '../../database/messages/country-guard.js'
import { deleteOldResetLinks } from '../../database/operating/dispatches.js'
import { deleteExpiredHalfOpenSessions } from '../../database/people/half-open-sessions.js'
import { deleteOldUnclearCallbacks } from '../../database/carriers/unclear-callbacks.js'
import { deleteExpiredKeys } from '../../database/messages/idempotency-keys.js'
import { deleteOldCauses } from '../../database/operating/notice-causes.js'
import { deleteOldNotices } from '../../database/operating/notices.js'
import { deleteOAuthRecords } from '../../database/applications/oauth-records.js'
import { deleteOldCounts } from '../../database/operating/overview/counting.js'
import { ensurePartitions, raiseLiveBounds } from '../../database/partitions.js'
import { deleteExpiredChallenges } from '../../database/people/second-factors/passkeys.js'
import { deleteExpiredRemovals } from '../../database/people/second-factors/removals.js'
import { deleteExpiredSessions } from '../../database/people/sessions.js'
import { deleteExpiredPortalAccess } from '../../database/people/portal.js'
import { deleteExpiredSetUpLinks } from '../../database/people/set-up-links.js'
import { deleteOldTasks } from '../../database/operating/tasks.js'
import { deleteOldAttempts } from '../../database/people/sign-in-attempts.js'
import { tookTooLong } from '../../database/outage.js'
import { asError, Unavailable } from '../../errors.js'
import { UNCLEAR_KEPT_DAYS } from '../carriers/unclear-callbacks.js'
import type { Context } from '../context.js'
import { endDeliveriesLeftWaiting } from '../endpoints/deliveries/end-waiting.js'
import { removeOldMedia } from '../media/retention.js'

/** Deleting the keys of a busy hour in one statement could take longer than a statement may. */
const KEYS_AT_ONCE = 5000
/** A grant that has ended may have a million tokens. */
const OAUTH_RECORDS_AT_ONCE = 5000
const NOTICES_KEPT_DAYS = 90
const TASKS_KEPT_DAYS = 30
/** Deleting each also deletes the events that it sent to another URL. */
const TASKS_AT_ONCE = 10
/** Deleting each also deletes its mails. */
const NOTICES_AT_ONCE = 1000

/** The chores, by the log's names of their counts. */
const CHORES: Record<string, (context: Context) => Promise<number>> = {
  partitionCount: ({ db }) => ensurePartitions(db),
  liveBoundCount: ({ db }) => raiseLiveBounds(db),
  keyCount: ({ db }) => inParts(KEYS_AT_ONCE, () => deleteExpiredKeys(db, KEYS_AT_ONCE)),
  sessionCount: ({ db }) => deleteExpiredSessions(db),
  halfOpenSessionCount: ({ db }) => deleteExpiredHalfOpenSessions(db),
  challengeCount: ({ db }) => deleteExpiredChallenges(db),
  removalCount: ({ db }) => deleteExpiredRemovals(db),
  tokenCount: ({ db }) => deleteLongExpiredTokens(db),
  linkCount: ({ db }) => deleteExpiredSetUpLinks(db),
  portalCount: ({ db }) => deleteExpiredPortalAccess(db),
  resetLinkCount: ({ db }) => deleteOldResetLinks(db),
  attemptCount: ({ db }) => deleteOldAttempts(db),
  oauthRecordCount: ({ db }) =>
    inParts(OAUTH_RECORDS_AT_ONCE, () => deleteOAuthRecords(db, OAUTH_RECORDS_AT_ONCE)),
  mediaCount: removeOldMedia,
  minuteCount: ({ db }) => deleteOldCounts(db),
  countryHourCount: ({ db }) => deleteOldCountryHours(db),
  noticeCount: ({ db }) =>
    inParts(NOTICES_AT_ONCE, () => deleteOldNotices(db, NOTICES_KEPT_DAYS, NOTICES_AT_ONCE)),
  taskCount: ({ db }) => inParts(TASKS_AT_ONCE, () => deleteOldTasks(db, TASKS_KEPT_DAYS, TASKS_AT_ONCE)),
  unclearCallbackCount: ({ db }) => deleteOldUnclearCallbacks(db, UNCLEAR_KEPT_DAYS),
  causeCount: ({ db }) => deleteOldCauses(db),
  endedCount: endDeliveriesLeftWaiting,
}

/**
 * Makes the partitions that will be needed, and deletes what has expired. It is never urgent. A chore that fails does
 * not keep the others from being done, and is tried again in an hour. That goes for one that takes too long as well:
 * otherwise those after it would never be done.
 *
 * @throws Unavailable
 */
export async function runHousekeeping(context: Context): Promise<void> {
  const counts: Record<string, number> = {}
  for (const [name, chore] of Object.entries(CHORES)) {
    try {
      counts[name] = await chore(context)
    } catch (error) {
      if (error instanceof Unavailable && !tookTooLong(error)) throw error
      context.log.error({ chore: name, err: asError(error) }, 'maintenance.failed')
    }
  }
  context.log.info(counts, 'maintenance.done')
}

/** @returns the number deleted in all */
async function inParts(atOnce: number, deleteSome: () => Promise<number>): Promise<number> {
  let count = 0
  for (let deleted = atOnce; deleted === atOnce; count += deleted) deleted = await deleteSome()
  return count
}
