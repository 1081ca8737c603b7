import type { Role } from '../../domain/people/users.js'

const LINES = '/console'
export const OVERVIEW = '/console/overview'

/** Where somebody begins who does not want to go to a certain page. */
export function homeOf({ role }: { role: Role }): string {
  return role === 'operator' ? OVERVIEW : LINES
}

/** Where somebody goes after signing in. Whoever asked for the console as such gets the first page that is theirs. */
export function pageAfterSignIn(session: { role: Role } | undefined, next: string): string {
  return session !== undefined && next === LINES ? homeOf(session) : next
}
