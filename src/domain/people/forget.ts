import { setTimeout as sleep } from 'node:timers/promises'
import { endListed, eraseListed } from '../../database/messages/text-lists.js'
import { deleteUploads } from '../../database/media/uploads.js'
import { endWaiting } from '../../database/people/ending.js'
import {
  deleteContacts,
  erasePeers,
  eraseDeliveries,
  eraseMessages,
  eraseRemains,
  eraseSimulated,
  listErasable,
} from '../../database/people/erasing.js'
import {
  countInHand,
  countPerson,
  countSimulated,
  listNamings,
  NOBODY,
  readClock,
  type PersonCounts,
  type PersonOnLines,
} from '../../database/people/finding.js'
import { eachLineBatch } from '../../database/people/lines.js'
import { UserError } from '../../errors.js'
import { StorageFailed } from '../../storage/storage.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { uploadTokenOf } from '../media/upload-url.js'
import { MAX_NUMBER_LENGTH, parseE164 } from '../messages/phone-number.js'
import { givePlacesBack } from '../messages/send/give-places-back.js'
import { readReason, recordForUsers } from './private-access.js'
import { findUsersWithPerson } from './users-with-person.js'

export type { PersonCounts } from '../../database/people/finding.js'

/** A batch is small, because its rows are locked together. */
const ROWS_AT_ONCE = 200

/**
 * Reads an E.164 number. The plus sign is required, because a number to be forgotten must not be guessed.
 *
 * @throws UserError naming `number`
 */
export function readPerson(written: string): string {
  const read = written.length > MAX_NUMBER_LENGTH ? undefined : parseE164(written)
  if (read === undefined) {
    throw new UserError('number must be a phone number in E.164 format, such as +15551234567')
  }
  return read.number
}

/** Counts what exists about the person with this number, on all lines. Changes nothing. */
export async function findPerson(context: Context, number: string): Promise<PersonCounts> {
  const { db } = context
  await record(context, db, { action: 'person.viewed' })
  const found = {
    ...NOBODY,
    simulated: await countSimulated(db, number),
    named: (await listNamings(db, number)).length,
  }
  const until = await readClock(db)
  for await (const lineIds of eachLineBatch(db)) {
    add(found, await countPerson(db, { number, lineIds, until }))
  }
  return found
}

/**
 * Erases every text, medium, excerpt and contact of a person, and replaces their number by a word. Ids, states and
 * times stay, so that counts stay right. An opt-out stays under its number, because it must continue to apply.
 *
 * Waiting messages and deliveries end first. It waits for those that a worker holds.
 *
 * After an interruption, it can be run again, because erased rows are not found again.
 *
 * The users concerned see it in their history, which is written just before the first row is erased.
 *
 * @param reason the reason, as shown in the audit log and in that history
 * @param options.patienceMs the longest wait for workers
 * @throws UserError 400 for the reason; 409 if workers are still busy then; whatever was waiting has still ended
 */
export async function forgetPerson(
  context: Context,
  number: string,
  reason: string,
  { patienceMs = 0 }: { patienceMs?: number } = {},
): Promise<PersonCounts> {
  const { db } = context
  const why = readReason(reason)
  // This comes before the time is read, so anything that a list has queued until then is older than that.
  for await (const lineIds of eachLineBatch(db)) await endListed(db, { number, lineIds })
  const until = await readClock(db)
  await eachPart(context, number, until, (person) => endAll(context, person))
  await waitForWorkers(context, number, until, patienceMs)
  await recordForUsers(context, 'user.person.forgotten', await findUsersWithPerson(context, number), why)

  const erased = { ...NOBODY }
  await eachPart(context, number, until, async (person) => {
    add(erased, await eraseAllMessages(context, person))
    for (let count = ROWS_AT_ONCE; count >= ROWS_AT_ONCE; erased.deliveries += count) {
      count = await eraseDeliveries(db, person, ROWS_AT_ONCE)
    }
    erased.listed += await eraseListed(db, person)
    add(erased, await erasePeers(db, person))
  })
  for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE; erased.simulated += count) {
    count = await eraseSimulated(db, number, ROWS_AT_ONCE)
  }
  erased.named = await deleteContacts(db, number)
  await eraseRemains(db, number)
  await record(context, db, { action: 'person.forgotten', after: { ...erased, reason: why } })
  return erased
}

async function eachPart(
  { db }: Context,
  number: string,
  until: string,
  work: (person: PersonOnLines) => Promise<void>,
): Promise<void> {
  for await (const lineIds of eachLineBatch(db)) await work({ number, lineIds, until })
}

async function endAll(context: Context, person: PersonOnLines): Promise<void> {
  for (;;) {
    const { left, ...ended } = await endWaiting(context.db, person, ROWS_AT_ONCE)
    await givePlacesBack(context, left)
    if (Object.values(ended).every((count) => count < ROWS_AT_ONCE)) return
  }
}

const LOOK_MS = 500

async function waitForWorkers(
  context: Context,
  number: string,
  until: string,
  patienceMs: number,
): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    let inHand = 0
    await eachPart(context, number, until, async (person) => {
      inHand += await countInHand(context.db, person)
    })
    if (inHand === 0) return
    if (performance.now() > deadline) {
      throw new UserError(
        `${inHand} messages, events or media of this number are being processed right now. Nothing was erased. ` +
          'Try again in a minute',
        409,
      )
    }
    await sleep(LOOK_MS)
    // Messages that a worker has given back are waiting again.
    await eachPart(context, number, until, (person) => endAll(context, person))
  }
}

/**
 * A file is deleted before its row, so that a process that ends in between leaves a row, and the next run finds it.
 */
async function eraseAllMessages(
  context: Context,
  person: PersonOnLines,
): Promise<Pick<PersonCounts, 'messages' | 'media' | 'deliveries'>> {
  const { db } = context
  const erased = { messages: 0, media: 0, deliveries: 0 }
  for (;;) {
    const found = await listErasable(db, person, ROWS_AT_ONCE)
    const ids = [...new Set(found.map(({ id }) => id))]
    if (ids.length === 0) return erased
    await removeFiles(context, found)
    await deleteUploads(db, uploadTokens(context, found))
    const withThem = await eraseMessages(db, person.number, ids)
    erased.messages += ids.length
    erased.media += withThem.media
    erased.deliveries += withThem.deliveries
  }
}

async function removeFiles(
  { storage }: Context,
  found: readonly { storageKey: string | null }[],
): Promise<void> {
  try {
    for (const { storageKey } of found) if (storageKey !== null) await storage.remove(storageKey)
  } catch (error) {
    if (!(error instanceof StorageFailed)) throw error
    throw new UserError(
      'Media storage is not available, so not everything was erased. Check the overview, then erase the number again',
      409,
    )
  }
}

function uploadTokens(context: Context, found: readonly { sourceUrl: string | null }[]): string[] {
  return found.flatMap(({ sourceUrl }) => {
    const token = sourceUrl === null ? undefined : uploadTokenOf(context, sourceUrl)
    return token === undefined ? [] : [token]
  })
}

function add(sum: PersonCounts, more: Partial<PersonCounts>): void {
  for (const [name, count] of Object.entries(more)) sum[name as keyof PersonCounts] += count
}
