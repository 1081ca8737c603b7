import type { Role } from '../../domain/people/users.js'

const LINES = '/console'
export const OVERVIEW = '/console/overview'

/** The page where people begin who do not want to go to a certain one. */
export function homeOf({ role }: { role: Role }): string {
  return role === 'operator' ? OVERVIEW : LINES
}

/**
 * The page that people get after signing in. Whoever asked for the console as such gets the first page that is theirs.
 */
export function pageAfterSignIn(session: { role: Role } | undefined, next: string): string {
  return session !== undefined && next === LINES ? homeOf(session) : next
}
