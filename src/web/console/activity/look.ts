import { contactNumberOf } from '../../../database/messages/message.js'
import type { Page } from '../../../database/pages.js'
import { findActivity, type Activity, type ActivityFilter } from '../../../domain/activity.js'
import { findContacts, type Contact } from '../../../domain/contacts.js'
import type { Context } from '../../../domain/context.js'

/** A page of the activity, with who is at the other ends. */
export interface Look {
  activities: Activity[]
  /** By number. */
  contacts: ReadonlyMap<string, Contact>
  hasOlder: boolean
}

export async function lookAtActivity(
  context: Context,
  userId: string,
  filter: ActivityFilter,
  { before, limit }: Page,
): Promise<Look> {
  const page = { limit: limit + 1, ...(before === undefined ? {} : { before }) }
  const activities = await findActivity(context, userId, filter, page)
  const numbers = activities.map((each) =>
    each.kind === 'message' ? contactNumberOf(each.message) : each.delivery.fromNumber,
  )
  return {
    activities: activities.slice(0, limit),
    contacts: await findContacts(context, userId, numbers),
    hasOlder: activities.length > limit,
  }
}
