import { storable } from '../database/text.js'
import { UserError } from '../errors.js'

export const MAX_NAME_LENGTH = 100

const LENGTH_FAULT = `name must have 1 to ${MAX_NAME_LENGTH} characters`

/**
 * What people are shown in a list to tell one thing from another: a letter, digit, sign or picture. Not spaces, the
 * many characters that say only how others are drawn (U+200B, U+00AD, U+3164, …), nor the empty braille cell.
 */
const SEEN = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\u2800]/u

/** Would change the order of what stands around the name, or break its line. */
const DISTURBING = /[\p{Cc}\p{Bidi_Control}]/u

/**
 * The name of an application, a line, an API token or a user, as it is kept.
 *
 * @param lengthFault what is said of one that is empty or too long
 * @throws UserError 400
 */
export function readName(written: string, lengthFault = LENGTH_FAULT): string {
  const name = storable(written).trim()
  const fault = findFault(name, lengthFault)
  if (fault !== undefined) throw new UserError(fault)
  return name
}

/** As `readName`, where a name may be left empty. */
export function readOptionalName(written = '', lengthFault?: string): string | undefined {
  return storable(written).trim() === '' ? undefined : readName(written, lengthFault)
}

/** What somebody else calls a thing, as far as that can be a name here. */
export function asName(written: string): string | undefined {
  const name = storable(written.slice(0, MAX_NAME_LENGTH)).trim()
  return findFault(name, LENGTH_FAULT) === undefined ? name : undefined
}

function findFault(name: string, lengthFault: string): string | undefined {
  if (name === '' || name.length > MAX_NAME_LENGTH) return lengthFault
  if (DISTURBING.test(name)) return 'name must be one line of text, without control characters'
  return SEEN.test(name) ? undefined : 'name must have a character that can be seen'
}
