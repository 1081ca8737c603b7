import type { Measure } from '../../../domain/messages/segments.js'

/** Describes the size of a text in words: "2 segments, GSM-7". */
export function segmentWords({ segmentCount, encoding }: Pick<Measure, 'segmentCount' | 'encoding'>): string {
  return `${segmentCount} ${segmentCount === 1 ? 'segment' : 'segments'}, ${encoding}`
}

/** Shows the same with its reason, beside a form. */
export function SegmentCount({ measure }: { measure: Measure }) {
  const { encoding, characterCount, unitCount } = measure
  if (characterCount === 0) return <p class="muted">Enter a text to count its segments.</p>
  return (
    <p>
      <strong>{segmentWords(measure)}</strong>: {characterCount}{' '}
      {characterCount === 1 ? 'character,' : 'characters,'} {unitCount}{' '}
      {encoding === 'GSM-7'
        ? 'units. A single segment holds 160, each of several holds 153.'
        : 'units. A single segment holds 70, each of several holds 67, because the text has a character that GSM-7 lacks.'}
    </p>
  )
}
