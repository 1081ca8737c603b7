import type { Readable } from 'node:stream'
import { APPLICATION_FIELDS } from '../../../database/applications/application.js'
import { listApiTokens } from '../../../database/people/api-tokens.js'
import { listApplicationsOf } from '../../../database/applications/applications.js'
import { listAnyDeliveries, listDeliveries } from '../../../database/endpoints/deliveries/reading.js'
import { listContactsOf } from '../../../database/lines/contacts.js'
import { listOptedOut } from '../../../database/lines/line-peers.js'
import { ENDPOINT_FIELDS, listEndpoints } from '../../../database/endpoints/endpoints.js'
import type { OwnLine } from '../../../database/lines/lines.js'
import { listAnyMessages, listMessages } from '../../../database/messages/reading.js'
import { listContactsOf as listLineContactsOf, listNamings } from '../../../database/people/finding.js'
import { eachLineBatch } from '../../../database/people/lines.js'
import { FIRST_ID } from '../../../ids.js'
import { present } from '../../../shape.js'
import { readAudit, record } from '../audit.js'
import { asSeenBy } from '../audit/describe.js'
import { listAuthorizedApplications } from '../../applications/authorizations.js'
import { getConnection } from '../../lines/connection-overview.js'
import type { Context } from '../../context.js'
import { listOwnLines } from '../../lines/lines.js'
import { listTextsOf } from '../../../database/messages/text-lists.js'
import { findUsersWithPerson } from '../../people/users-with-person.js'
import { readReason, recordForUsers } from '../../people/private-access.js'
import { getUser } from '../../people/users.js'
import { conversationFiles, deliveriesBy, messagesBy } from './conversations.js'
import { json, jsonLines, zipOf, type ExportFile } from './zip.js'

const CONTACTS_AT_ONCE = 500

/** Makes a zip of a line: its settings without secrets, opt-outs, messages, deliveries and media. */
export async function exportLine(context: Context, line: OwnLine): Promise<Readable> {
  await record(context, context.db, { action: 'line.exported', subjectId: line.id, userId: line.userId })
  return zipOf(lineFiles(context, line))
}

/**
 * Makes a zip of an account: the user's data, their applications, and each of their lines.
 *
 * @throws UserError 404
 */
export async function exportUser(context: Context, userId: string): Promise<Readable> {
  await getUser(context, userId)
  await record(context, context.db, { action: 'user.exported', subjectId: userId, userId })
  return zipOf(userFiles(context, userId))
}

/**
 * Makes a zip of a person's data on all lines of all users, for operators. The number is not written into the audit
 * log. The users concerned see it in their history.
 *
 * @param reason the reason, which is shown in both
 * @throws UserError 400 for the reason
 */
export async function exportPerson(context: Context, number: string, reason: string): Promise<Readable> {
  const after = { reason: readReason(reason) }
  await record(context, context.db, { action: 'person.exported', after })
  await recordForUsers(
    context,
    'user.person.exported',
    await findUsersWithPerson(context, number),
    after.reason,
  )
  return zipOf(personFiles(context, number))
}

async function* lineFiles(context: Context, line: OwnLine, folder = ''): AsyncGenerator<ExportFile> {
  const { db } = context
  const { id: lineId, userId } = line
  const connection = await getConnection(context, userId, lineId)
  const endpoints = (await listEndpoints(db, { lineId })).map((one) => present(ENDPOINT_FIELDS, one))
  yield json(`${folder}line.json`, { ...line, connection, endpoints })
  yield jsonLines(`${folder}opt-outs.jsonl`, optOutsOf(context, line))
  yield* conversationFiles(
    context,
    {
      messages: () => messagesBy((page) => listMessages(db, userId, { lineId }, page)),
      deliveries: () => deliveriesBy(context, (page) => listDeliveries(db, userId, { lineId }, page)),
    },
    folder,
  )
}

async function* optOutsOf({ db }: Context, { userId, id }: OwnLine) {
  for (let after: string | undefined; ;) {
    const page = { limit: CONTACTS_AT_ONCE, ...(after === undefined ? {} : { after }) }
    const found = await listOptedOut(db, userId, id, page)
    for (const { number, optedOutAt } of found) yield { number, optedOutAt }
    if (found.length < CONTACTS_AT_ONCE) return
    after = found.at(-1)?.number
  }
}

async function* userFiles(context: Context, userId: string): AsyncGenerator<ExportFile> {
  const { db } = context
  yield json('account.json', await getUser(context, userId))
  yield jsonLines('api-tokens.jsonl', each(await listApiTokens(db, userId)))
  const applications = await listApplicationsOf(db, userId)
  yield jsonLines('applications.jsonl', each(applications.map((one) => present(APPLICATION_FIELDS, one))))
  yield jsonLines('authorized-applications.jsonl', each(await listAuthorizedApplications(context, userId)))
  yield jsonLines('contacts.jsonl', contactsOf(context, userId))
  yield jsonLines('history.jsonl', historyOf(context, userId))
  for (const line of await listOwnLines(context, userId)) {
    yield* lineFiles(context, line, `lines/${folderNameOf(line.number)}/`)
  }
}

/** A line's name may be `a/b` or `../a`: its files are in one folder nevertheless, and in none outside of the zip. */
function folderNameOf(number: string): string {
  return number.replace(/[/\\%]/g, (character) => encodeURIComponent(character))
}

async function* contactsOf({ db }: Context, userId: string) {
  for (let afterId = FIRST_ID; ;) {
    const found = await listContactsOf(db, userId, {}, { afterId, limit: CONTACTS_AT_ONCE })
    yield* found
    if (found.length < CONTACTS_AT_ONCE) return
    afterId = found.at(-1)?.id ?? afterId
  }
}

async function* historyOf(context: Context, userId: string) {
  for await (const row of readAudit(context, { userId })) yield asSeenBy(userId, row)
}

async function* personFiles(context: Context, number: string): AsyncGenerator<ExportFile> {
  const { db } = context
  yield json('person.json', { number })
  yield jsonLines(
    'contacts.jsonl',
    eachPart(db, (lineIds) => each(listLineContactsOf(db, { number, lineIds }))),
  )
  yield jsonLines(
    'text-lists.jsonl',
    eachPart(db, (lineIds) => each(listTextsOf(db, { number, lineIds }))),
  )
  yield jsonLines('names.jsonl', each(listNamings(db, number)))
  yield* conversationFiles(context, {
    messages: () =>
      eachPart(db, (lineIds) => messagesBy((page) => listAnyMessages(db, { number, lineIds }, page))),
    deliveries: () =>
      eachPart(db, (lineIds) =>
        deliveriesBy(context, (page) => listAnyDeliveries(db, { number, lineIds }, page)),
      ),
  })
}

/** Yields what `read` finds on every line, some lines at a time. */
async function* eachPart<Row>(
  db: Context['db'],
  read: (lineIds: string[]) => AsyncIterable<Row>,
): AsyncGenerator<Row> {
  for await (const lineIds of eachLineBatch(db)) yield* read(lineIds)
}

async function* each<Row>(rows: readonly Row[] | Promise<readonly Row[]>): AsyncGenerator<Row> {
  yield* await rows
}
