import { hasCode, UserError } from '../../errors.js'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes text. Bytes that are not UTF-8 are refused rather than stored with U+FFFD in them, because nobody could tell
 * afterwards what they were.
 *
 * @param what the name of what is read, such as "Request body"
 * @param fix how its sender can correct it, if that is not obvious
 * @throws UserError 400
 */
export function utf8Of(what: string, fix?: string): (bytes: Uint8Array) => string {
  return (bytes) => {
    try {
      return utf8.decode(bytes)
    } catch (error) {
      throw hasCode(error, 'ERR_ENCODING_INVALID_ENCODED_DATA')
        ? new UserError([`${what} is not UTF-8`, fix].filter(Boolean).join('. '))
        : error
    }
  }
}

export const readBodyText = utf8Of('Request body')
