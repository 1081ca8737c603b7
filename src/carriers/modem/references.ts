/**
 * A modem counts its texts from 0 to 255 and then starts over. So the id that we give a text includes the hour, and we
 * look for a report's text in the hours around it (3GPP TS 23.040 §9.2.3.6).
 */

const HOUR_MS = 3_600_000
/** SMS centres try for three days unless they are told otherwise. Reports on older texts find nothing. */
const HOURS_BACK = 96

/** @param reference the TP-MR of the text's last part */
export function idOf(reference: number, at: number): string {
  return `${Math.floor(at / HOUR_MS)}-${reference}`
}

/**
 * The ids that the text of a report may have, the most likely one first.
 *
 * @param sentAt by the SMS centre, whose clock or time zone may be wrong; NaN if it is unknown
 */
export function idsOf(reference: number, sentAt: number): [string, ...string[]] {
  const now = Date.now()
  const hours = Array.from({ length: HOURS_BACK }, (_, back) => now - back * HOUR_MS)
  const all = hours.map((at) => idOf(reference, at))
  const likely = idOf(reference, Number.isNaN(sentAt) ? now : sentAt)
  return [likely, ...all.filter((id) => id !== likely)]
}
