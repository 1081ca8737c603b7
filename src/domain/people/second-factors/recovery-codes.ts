import { randomBytes } from 'node:crypto'
import type { Database } from '../../../database/connection.js'
import {
  deleteRecoveryCodes,
  insertRecoveryCodes,
} from '../../../database/people/second-factors/recovery-codes.js'
import { sha256 } from '../../../secrets.js'

const CODE_COUNT = 10
/**
 * This is 140 random bits: too many to try, even with the hashes, so they need no salt. ASVS 5.0 wants 112 for that.
 */
const CODE_LENGTH = 28
/** This is Crockford's base32, without the letters that are mistaken for digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Replaces the codes with ten new ones. They are returned only once, because only their hashes are stored. */
export async function replaceRecoveryCodes(trx: Database, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODE_COUNT }, newCode)
  await deleteRecoveryCodes(trx, userId)
  await insertRecoveryCodes(
    trx,
    userId,
    codes.map((code) => hashOfCode(code)),
  )
  return codes
}

/** The result is the same for every way of typing it. */
export function hashOfCode(written: string): Buffer {
  const typed = written.toLowerCase().replace(/[\s-]/g, '')
  return sha256(typed.replaceAll('o', '0').replace(/[il]/g, '1'))
}

function newCode(): string {
  const letters = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return letters.replace(/(.{4})(?=.)/g, '$1-')
}
