export const USERS = '/console/users'

export function userPath(userId: string): string {
  return `${USERS}/${userId}`
}
