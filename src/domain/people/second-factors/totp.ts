import { Secret, TOTP } from 'otpauth'

/** Every authenticator app accepts these (RFC 6238 §4 and §5.2, Google's key URI format). */
const FORM = { algorithm: 'SHA1', digits: 6, period: 30 }
/** A code of the step before or after counts too, because clocks differ and typing takes time (RFC 6238 §5.2). */
const WINDOW = 1
/** RFC 4226 §4, R6 recommends 160 bits. */
const SECRET_BYTES = 20

/** Makes a secret in base32, as apps take it. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/**
 * Makes the URL for the QR code.
 *
 * @param account the user's name in the app
 * @param issuer the installation's name in the app
 */
export function totpUri(secret: string, account: string, issuer: string): string {
  return new TOTP({ ...FORM, secret, issuer, label: account }).toString()
}

/** Finds the step whose code this is; undefined if none of the steps that count at this time has it. */
export function findStep(secret: string, code: string, nowMs: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const delta = TOTP.validate({
    ...FORM,
    secret: Secret.fromBase32(secret),
    token: code,
    timestamp: nowMs,
    window: WINDOW,
  })
  return delta === null ? undefined : Math.floor(nowMs / 1000 / FORM.period) + delta
}
