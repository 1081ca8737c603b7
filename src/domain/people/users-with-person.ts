import { listNamings, listUsersWith, readClock } from '../../database/people/finding.js'
import { eachLineBatch } from '../../database/people/lines.js'
import type { Context } from '../context.js'

/**
 * Finds the users whose lines know the person with this number, or who have them as a contact: any action on the number
 * concerns these users.
 */
export async function findUsersWithPerson({ db }: Pick<Context, 'db'>, number: string): Promise<Set<string>> {
  const found = new Set((await listNamings(db, number)).map(({ userId }) => userId))
  const until = await readClock(db)
  for await (const lineIds of eachLineBatch(db)) {
    for (const userId of await listUsersWith(db, { number, lineIds, until })) found.add(userId)
  }
  return found
}
