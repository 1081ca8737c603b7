import { createHmac } from 'node:crypto'
import { insertSession } from '../../../src/database/people/sessions.js'
import type { Context } from '../../../src/domain/context.js'
import { newSession } from '../../../src/domain/people/sessions.js'

/** Signs the user in without a password. @returns the token, which the browser's cookie holds */
export async function startSession({ db }: Context, userId: string, userAgent = 'test'): Promise<string> {
  const { token, row } = newSession(userId, userAgent)
  await insertSession(db, row)
  return token
}

/**
 * The token that each form of a page has for the browser with this cookie. Reading it in a page would render one more
 * page for each form that a test sends; `csrf.test.ts` does read it there.
 */
export function formTokenOf(browserToken: string): string {
  return createHmac('sha256', browserToken).update('linehook form').digest('base64url')
}
