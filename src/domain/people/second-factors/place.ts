/** The place to which the secret of an authenticator app is sealed. */
export function totpPlace(userId: string): string {
  return `totp_secrets.secret:${userId}`
}
