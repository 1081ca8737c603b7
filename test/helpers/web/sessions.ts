import { insertSession } from '../../../src/database/people/sessions.js'
import type { Context } from '../../../src/domain/context.js'
import { newSession } from '../../../src/domain/people/sessions.js'

/** Signs the user in without a password. @returns the token, which the browser's cookie holds */
export async function startSession({ db }: Context, userId: string, userAgent = 'test'): Promise<string> {
  const { token, row } = newSession(userId, userAgent)
  await insertSession(db, row)
  return token
}
