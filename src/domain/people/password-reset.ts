import { setTimeout as sleep } from 'node:timers/promises'
import { transaction } from '../../database/connection.js'
import { countRecentResetLinks, insertResetLink } from '../../database/operating/dispatches.js'
import { storable } from '../../database/text.js'
import { findUserByEmail, lockUser } from '../../database/people/users.js'
import { networkOf } from '../../network.js'
import { sha256 } from '../../secrets.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'

const HOUR_MS = 3_600_000

/** How many links are allowed in an hour: to one account, and from one network, which many people may share. */
const PER_ACCOUNT = 3
const PER_NETWORK = 30

/** The response comes after this time, so that its duration does not reveal whether there is such an account. */
const ANSWER_MS = 400

/**
 * Makes sure that a link to set a new password is mailed, if there is an account with this address that has a password
 * and is not disabled. (One that has none yet has its set-up link, which a stranger must not end.) The caller cannot
 * distinguish this from any other case, such as that the account or the network has used up its links for this hour.
 *
 * `maintenance` makes the link and mails it.
 *
 * @throws Unavailable
 */
export async function askForReset(context: Context, email: string, address: string): Promise<void> {
  const answer = sleep(ANSWER_MS)
  await queueLink(context, storable(email).trim(), address)
  await answer
}

async function queueLink(context: Context, email: string, address: string): Promise<void> {
  const { db, throttle, log } = context
  const network = sha256(networkOf(address)).toString('hex')
  const waitMs = await throttle.take({
    key: `reset-links:${network}`,
    limit: PER_NETWORK,
    lengthMs: HOUR_MS,
  })
  const user = await findUserByEmail(db, email)
  if (waitMs > 0 || user === undefined) return
  const { id: userId } = user
  const isQueued = await transaction(db, async (trx) => {
    // Under this lock, no other request counts the account's links.
    const locked = await lockUser(trx, userId)
    if (locked?.passwordHash == null || locked.disabledAt !== null) return false
    if ((await countRecentResetLinks(trx, userId)) >= PER_ACCOUNT) return false
    await insertResetLink(trx, userId)
    await record(context, trx, { action: 'password.reset_asked', subjectId: userId, userId })
    return true
  })
  if (isQueued) log.info({ userId }, 'password.reset_asked')
}
