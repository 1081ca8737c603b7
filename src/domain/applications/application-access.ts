import { findApplicationAccess, type ApplicationAccess } from '../../database/applications/oauth-records.js'
import { sha256 } from '../../secrets.js'
import type { Context } from '../context.js'

/** What an application can be allowed to do, in the canonical word (`docs/http.md` says what each scope means). */
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
 * The application that a request came from, and the user it acts for; undefined when the token is nobody's, or no
 * longer.
 */
export async function findAccess({ db }: Context, token: string): Promise<ApplicationAccess | undefined> {
  if (!FORM.test(token)) return undefined
  return findApplicationAccess(db, sha256(token))
}
