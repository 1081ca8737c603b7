import { contactNumberOf } from '../../../../database/messages/message.js'
import type { Page } from '../../../../database/lists.js'
import { findActivity, type ActivityFilter, type ActivityPage } from '../../../../domain/messages/activity.js'
import { findContacts, type Contact } from '../../../../domain/lines/contacts.js'
import type { Context } from '../../../../domain/context.js'

/** A page of the activity, with the contacts of the other parties. */
export interface ShownActivity extends ActivityPage {
  /** The contacts, by number. */
  contacts: ReadonlyMap<string, Contact>
}

export async function readActivityPage(
  context: Context,
  userId: string,
  filter: ActivityFilter,
  page: Page,
): Promise<ShownActivity> {
  const found = await findActivity(context, userId, filter, page)
  const numbers = found.activities.flatMap(({ message }) =>
    message === undefined ? [] : contactNumberOf(message),
  )
  return { ...found, contacts: await findContacts(context, userId, numbers) }
}
