import type { Measure } from '../../../domain/messages/segments.js'

/** What a text costs to send, in words: "2 segments, GSM-7". */
export function segmentWords({ segmentCount, encoding }: Pick<Measure, 'segmentCount' | 'encoding'>): string {
  return `${segmentCount} ${segmentCount === 1 ? 'segment' : 'segments'}, ${encoding}`
}

/** The same with its reason, beside a form. */
export function SegmentCount({ measure }: { measure: Measure }) {
  const { encoding, characterCount, unitCount } = measure
  if (characterCount === 0) return <p class="muted">Nothing to count yet.</p>
  return (
    <p>
      <strong>{segmentWords(measure)}</strong>: {characterCount}{' '}
      {characterCount === 1 ? 'character takes' : 'characters take'} {unitCount}{' '}
      {encoding === 'GSM-7'
        ? 'units, of 160 in one segment or 153 in each of several.'
        : 'units, of 70 in one segment or 67 in each of several: it has a character that GSM-7 has not.'}
    </p>
  )
}
