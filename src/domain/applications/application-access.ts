import { findApplicationAccess, type ApplicationAccess } from '../../database/applications/oauth-records.js'
import { sha256 } from '../../secrets.js'
import type { Context } from '../context.js'

export type { ApplicationAccess } from '../../database/applications/oauth-records.js'

/** The rights that an application can have, by their canonical names (`docs/http.md` says what each scope means). */
export const SCOPES = [
  'messages:connect',
  'messages:write',
  'lines:read',
  'lines:write',
  'contacts:read',
  'contacts:write',
] as const

export type Scope = (typeof SCOPES)[number]

export function isScope(written: string): written is Scope {
  return (SCOPES as readonly string[]).includes(written)
}

const FORM = /^[\w-]{43}$/

/**
 * Finds the application that a request came from, and the user it acts for; undefined if the token is not valid, or
 * no longer.
 */
export async function findAccess({ db }: Context, token: string): Promise<ApplicationAccess | undefined> {
  if (!FORM.test(token)) return undefined
  return findApplicationAccess(db, sha256(token))
}
