import { setTimeout as sleep } from 'node:timers/promises'
import { isBreached } from '../../breached-passwords.js'
import { UserError } from '../../errors.js'
import { createSemaphore } from '../../kit/process/semaphore.js'

/** NIST SP 800-63B §5.1.1.2 asks for at least 8. This is more, because no kinds of characters are required here. */
export const MIN_PASSWORD_LENGTH = 12
/**
 * NIST SP 800-63B §5.1.1.2 asks that at least 64 be allowed, which passphrases need. The whole password has to be
 * hashed.
 */
export const MAX_PASSWORD_LENGTH = 256
/**
 * This follows the OWASP Password Storage Cheat Sheet for argon2id (the package's default): 19 MiB, two passes, one
 * lane.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
/** The hash of a password that no user has. Checking it takes as long as checking a user's. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$xzpaUr0uB4clar/swrKMow$LlWT/bTABM4snUWe4hTYGDT/5N2WNGDoueBjwKB0zr0'

export const PASSWORD_GUESSABLE =
  'password is too easy to guess. Use something unique, such as four unrelated words'

export const PASSWORD_BREACHED = 'password appears in a list of leaked passwords. Choose a different one'

/**
 * A hash takes 19 MiB and one of libuv's four threads for about 50 ms; name look-ups and files need threads too. The
 * last of 32 waits for about a second. If more could wait, people would send the form again.
 */
const limited = createSemaphore({
  atOnce: 2,
  maxWaiting: 32,
  busy: 'Too many passwords are being checked right now',
})

/** It is loaded for the first password, because it takes 25 ms of CPU time and 5 MB (measured). */
const argon2 = () => import('@node-rs/argon2')

/**
 * @returns argon2id in its own encoding
 * @throws Unavailable if too many wait already
 */
export async function hashPassword(plain: string): Promise<string> {
  return limited(async () => (await argon2()).hash(normalized(plain), COST))
}

/**
 * Takes the same time if there is no hash, so that no one can find out which users exist.
 *
 * @throws Unavailable if too many wait already
 */
export async function isPassword(passwordHash: string | null, plain: string): Promise<boolean> {
  const isRight = await limited(async () => {
    const { verify } = await argon2()
    const startedAt = performance.now()
    const isRight = await verify(passwordHash ?? NOBODYS_HASH, normalized(plain))
    lastCheckMs = performance.now() - startedAt
    return isRight
  })
  return isRight && passwordHash !== null
}

/** Waits as long as a check takes, without doing the work, if no password is checked. */
export async function passTimeOfACheck(): Promise<void> {
  await sleep(lastCheckMs)
}

/**
 * Requires length, and a password that is hard to guess, but no kinds of characters (NIST SP 800-63B §5.1.1.2).
 *
 * @param breachedPasswords the file of BREACHED_PASSWORDS
 * @throws UserError 400; Unavailable if there is such a file and it cannot be read
 */
export async function requireGoodPassword(
  plain: string,
  email?: string,
  breachedPasswords?: string,
): Promise<void> {
  const password = normalized(plain)
  const { length } = Array.from(password)
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) {
    throw new UserError(`password must be ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters long`)
  }
  if (email !== undefined && password.toLowerCase() === normalized(email).trim().toLowerCase()) {
    throw new UserError('password must not be the email address')
  }
  const { isGuessable } = await import('./guessable-passwords.js')
  if (isGuessable(password, email)) throw new UserError(PASSWORD_GUESSABLE)
  // Another service may have stored it as it was typed, or in the normalized form.
  if (breachedPasswords !== undefined && (await isBreached(breachedPasswords, [password, plain]))) {
    throw new UserError(PASSWORD_BREACHED)
  }
}

/**
 * Keyboards write the same character composed or decomposed, so both count as equal (NIST SP 800-63B §5.1.1.2: NFKC).
 */
function normalized(plain: string): string {
  return plain.toWellFormed().normalize('NFKC')
}

let lastCheckMs = 50
