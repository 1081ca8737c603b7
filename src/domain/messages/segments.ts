import type { Message } from '../../database/messages/message.js'
import { countCharacters } from '../../kit/text/characters.js'
import { UserError } from '../../errors.js'
import type { Language } from '../../kit/text/national-tables.js'
import { cutIntoSegments, type AccountTable, type Encoding } from '../../kit/text/segments.js'
import { MAX_TEXT_LENGTH, REFUSALS } from './submit/refusals.js'

/** The size of a text, which decides its cost. */
export interface Measure {
  encoding: Encoding
  segmentCount: number
  /** Septets of GSM-7, or 16-bit units of UCS-2. */
  unitCount: number
  characterCount: number
  /** The language of the national tables that it is sent with; null if it needs none. */
  language: Language | null
  /** The units that a single segment holds, and each of several. */
  room: { single: number; part: number }
}

/** The size of a message's text as it was counted when the message was accepted, or as we count it now. */
export function sizeOf({
  text,
  countedSegments,
  languages,
}: Pick<Message, 'text' | 'countedSegments' | 'languages'>):
  | Pick<Measure, 'encoding' | 'segmentCount'>
  | undefined {
  if (text === null) return undefined
  const { encoding, parts } = cutIntoSegments(text, { languages: languages ?? [] })
  return { encoding, segmentCount: countedSegments ?? parts.length }
}

/**
 * @param languages those of the account that would send it
 * @throws UserError 400 for a text that the service would not send
 */
export function measureText(written: string, languages: readonly AccountTable[] = []): Measure {
  const text = written.toWellFormed()
  const characterCount = countCharacters(text)
  if (characterCount > MAX_TEXT_LENGTH) throw new UserError(REFUSALS.tooLong)
  const { encoding, parts, unitCount, language, room } = cutIntoSegments(text, { languages })
  return { encoding, segmentCount: parts.length, unitCount, characterCount, language, room }
}
