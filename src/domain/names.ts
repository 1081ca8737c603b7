import { storable } from '../database/text.js'
import { UserError } from '../errors.js'
import { countCharacters } from '../kit/text/characters.js'

/** Names are shorter than this. Lists and consent pages show a name in one line. */
export const MAX_NAME_LENGTH = 100

const LENGTH_FAULT = `name must have 1 to ${MAX_NAME_LENGTH} characters`

/**
 * A character that people can see in a list: a letter, digit, sign or picture. Spaces do not count, nor do the many
 * characters that only affect how others are drawn (U+200B, U+00AD, U+3164, …), nor the empty braille cell.
 */
const SEEN = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\u2800]/u

/** These would change the order of the text around the name, or break its line. */
const DISTURBING = /[\p{Cc}\p{Bidi_Control}]/u

/**
 * Reads the name of an application, a line, an API token or a user.
 *
 * @param lengthFault the error for a name that is empty or too long
 * @throws UserError 400
 */
export function readName(written: string, lengthFault = LENGTH_FAULT): string {
  const name = storable(written).trim()
  const fault = findFault(name, lengthFault)
  if (fault !== undefined) throw new UserError(fault)
  return name
}

/** Reads a name that may be left empty. */
export function readOptionalName(written = '', lengthFault?: string): string | undefined {
  return storable(written).trim() === '' ? undefined : readName(written, lengthFault)
}

/** Returns another system's name for something, if it is a valid name here. */
export function asName(written: string): string | undefined {
  const name = storable(Array.from(written).slice(0, MAX_NAME_LENGTH).join('')).trim()
  return findFault(name, LENGTH_FAULT) === undefined ? name : undefined
}

function findFault(name: string, lengthFault: string): string | undefined {
  if (name === '' || countCharacters(name) > MAX_NAME_LENGTH) return lengthFault
  if (DISTURBING.test(name)) return 'name must be one line of text, without control characters'
  return SEEN.test(name) ? undefined : 'name must contain at least one visible character'
}
