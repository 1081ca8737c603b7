import type { ComponentChildren } from 'preact'
import type { Language } from '../../../kit/text/national-tables.js'
import type { Measure } from '../../../domain/messages/segments.js'
import { countOf } from '../../../domain/operating/overview/figures.js'

/** Describes the size of a text in words: "2 segments, GSM-7". */
export function segmentWords({ segmentCount, encoding }: Pick<Measure, 'segmentCount' | 'encoding'>): string {
  return `${countOf(segmentCount, 'segment')}, ${encoding}`
}

/**
 * Shows the same with its reason, beside a form. Only the number of segments is read out, when it changes: the rest changes
 * with each character, and nobody could type while it is read.
 */
export function SegmentCount({ measure }: { measure: Measure }) {
  const { characterCount, unitCount, room } = measure
  if (characterCount === 0) return <NoCount>Enter text to count its segments.</NoCount>
  return (
    <p>
      <strong role="status">{segmentWords(measure)}</strong>: {countOf(characterCount, 'character')},{' '}
      {countOf(unitCount, 'unit')}. A single segment holds {room.single}, and each segment of a longer text
      holds {room.part}
      {whyOf(measure)}.
    </p>
  )
}

/** Stands where the count will be. A screen reader reads what comes into an element that it knows already. */
export function NoCount({ children }: { children?: ComponentChildren }) {
  return (
    <p class="muted">
      <strong role="status"></strong>
      {children}
    </p>
  )
}

const TITLES: Record<Language, string> = {
  turkish: 'Turkish',
  spanish: 'Spanish',
  portuguese: 'Portuguese',
}

function whyOf({ encoding, language }: Measure): string {
  if (language !== null) return `, because the text uses ${TITLES[language]} characters of GSM-7`
  return encoding === 'GSM-7' ? '' : ', because the text has a character that is not in GSM-7'
}
