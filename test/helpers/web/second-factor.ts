import { TOTP } from 'otpauth'
import { listSessions } from '../../../src/database/people/sessions.js'
import type { Context } from '../../../src/domain/context.js'
import {
  beginApp,
  confirmApp,
  findPendingApp,
} from '../../../src/domain/people/second-factors/authenticator-app.js'
import { findSession, type Session } from '../../../src/domain/people/sessions.js'
import { startSession } from './sessions.js'

/** An authenticator app that a user has set up, and what came with it. */
export interface TestApp {
  /** The code of a step that was not used yet, as if its 30 seconds had come. */
  nextCode(): Promise<string>
  recoveryCodes: string[]
}

/** The sessions that the user has end. */
export async function setUpApp(context: Context, userId: string): Promise<TestApp> {
  const session = await sessionOf(context, userId)
  await beginApp(context, userId)
  const { secret = '' } = (await findPendingApp(context, session)) ?? {}
  const { recoveryCodes = [] } = await confirmApp(context, session, codeAt(secret))
  await context.db('sessions').where({ id: session.id }).delete()
  return { recoveryCodes, nextCode: () => nextCode(context, userId, secret) }
}

export function codeAt(secret: string, timestamp = Date.now()): string {
  return new TOTP({ secret }).generate({ timestamp })
}

/** Makes as if the codes that were used were older, so that no test waits for the next 30 seconds. */
export async function nextCode({ db }: Context, userId: string, secret: string): Promise<string> {
  await db('totp_secrets').where({ user_id: userId }).update({ last_step: 0 })
  return codeAt(secret)
}

async function sessionOf(context: Context, userId: string): Promise<Session> {
  const session = await findSession(context, await startSession(context, userId))
  if (session === undefined) throw new Error(`${userId} cannot have a session`)
  return session
}

/** How many sessions somebody has. */
export async function countSessions({ db }: Context, userId: string): Promise<number> {
  return (await listSessions(db, userId)).length
}
