/** What the secret of an authenticator app is sealed to. */
export function totpPlace(userId: string): string {
  return `totp_secrets.secret:${userId}`
}
