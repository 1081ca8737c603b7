import { transaction, type Database } from '../../database/connection.js'
import {
  findContactsOf,
  lockContact,
  updateContactNumber,
  upsertContact,
  type Contact,
} from '../../database/lines/contacts.js'
import { UserError } from '../../errors.js'
import { isId, newId } from '../../ids.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { readOptionalName } from '../names.js'
import { MAX_NUMBER_LENGTH, parseNumber } from '../messages/phone-number.js'

export type { Contact } from '../../database/lines/contacts.js'

/** A field that is left out stays as it is; an empty name removes the name. */
export interface ContactFields {
  name?: string | undefined
  blocked?: boolean | undefined
}

/** Returns the user's contacts by their numbers; a number that is not a contact is left out. */
export async function findContacts(
  { db }: Pick<Context, 'db'>,
  userId: string,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, Contact>> {
  const found = numbers.length === 0 ? [] : await findContactsOf(db, userId, numbers)
  return new Map(found.map((contact) => [contact.number, contact]))
}

/** Short codes have up to eight digits. */
const LOCAL_NUMBER = /^\(?(?:\d[\s().-]*){9,}$/

/**
 * Normalizes the other party's number. It is not always a phone number: a sender may be a short code or a name.
 *
 * @throws UserError naming `phoneNumber`
 */
export function readContactNumber(written: string): string {
  const sender = written.trim()
  const number = sender.length > MAX_NUMBER_LENGTH ? undefined : parseNumber(sender, null)?.number
  if (number !== undefined) return number
  // Stored as the name of a sender, it would be nobody's contact, and blocking it would block nobody.
  if (LOCAL_NUMBER.test(sender))
    throw new UserError(
      'phoneNumber lacks its country code. Give the number in E.164 format, such as +15551234567',
    )
  if (/^[\p{L}\p{N}][\p{L}\p{N}\p{M} .,&'_/-]{0,19}$/u.test(sender)) return sender
  throw new UserError(
    'phoneNumber must be a phone number in E.164 format, such as +15551234567, or the short code or the name of a sender',
  )
}

/**
 * Makes a contact, or changes the one that has this number already.
 *
 * @param number the number as messages have it
 * @throws UserError
 */
export async function saveContact(
  context: Context,
  userId: string,
  number: string,
  { name, blocked }: ContactFields,
): Promise<Contact> {
  const change = { name: readContactName(name), isBlocked: blocked }
  return transaction(context.db, async (trx) => {
    const before = await lockContact(trx, userId, { number })
    const after = await upsertContact(trx, { id: newId(), userId, number }, change)
    await recordBlocking(context, trx, userId, before, after)
    return after
  })
}

/**
 * Changes a contact, which may get another number.
 *
 * @param reference its id or its number
 * @throws UserError 404; 409 if another contact has the number
 */
export async function changeContact(
  context: Context,
  userId: string,
  reference: string,
  { name, blocked, phoneNumber }: ContactFields & { phoneNumber?: string | undefined },
): Promise<Contact> {
  const change = { name: readContactName(name), isBlocked: blocked }
  const newNumber = phoneNumber === undefined ? undefined : readContactNumber(phoneNumber)
  return transaction(context.db, async (trx) => {
    const before = await lockContact(trx, userId, byReference(reference))
    if (before === undefined) throw noContact()
    const { id } = before
    const number = newNumber ?? before.number
    if (number !== before.number && !(await updateContactNumber(trx, id, number))) {
      throw new UserError('phoneNumber belongs to another contact. Change that one instead', 409)
    }
    const after = await upsertContact(trx, { id, userId, number }, change)
    await recordBlocking(context, trx, userId, before, after)
    return after
  })
}

function byReference(reference: string): { id: string } | { number: string } {
  if (isId(reference)) return { id: reference.toLowerCase() }
  try {
    return { number: readContactNumber(reference) }
  } catch (error) {
    throw error instanceof UserError ? noContact() : error
  }
}

function noContact(): UserError {
  return new UserError('No contact has this ID or number. Create one with POST /v1/contacts', 404)
}

function readContactName(written: string | undefined): string | null | undefined {
  return written === undefined ? undefined : (readOptionalName(written) ?? null)
}

/** Names are not logged, because they are personal. */
async function recordBlocking(
  context: Context,
  trx: Database,
  userId: string,
  before: Contact | undefined,
  after: Contact,
): Promise<void> {
  const isBlocked = after.blockedAt !== null
  if (isBlocked === ((before?.blockedAt ?? null) !== null)) return
  const action = isBlocked ? 'contact.blocked' : 'contact.unblocked'
  await record(context, trx, { action, subjectId: after.id, userId })
}
