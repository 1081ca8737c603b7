import type { Role } from '../../domain/people/users.js'

const LINES = '/console'
export const OVERVIEW = '/console/overview'

/** Returns the page where people begin if they do not ask for a certain one. */
export function homeOf({ role }: { role: Role }): string {
  return role === 'operator' ? OVERVIEW : LINES
}

/** Returns the page after signing in. If the console as such was requested, it is the user's first page. */
export function pageAfterSignIn(session: { role: Role } | undefined, next: string): string {
  return session !== undefined && next === LINES ? homeOf(session) : next
}
