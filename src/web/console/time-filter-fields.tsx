import { Time } from './form.js'
import { zoneOf, type TimeFilter } from './time-filter.js'
import { clockIn, UTC } from './zone.js'

/**
 * If the address names no zone, `console.js` chooses the reader's own, and shows the list in it too. Without a script both
 * are in UTC.
 */
export function ZoneChoice({ written }: { written: TimeFilter }) {
  const zone = zoneOf(written)
  return (
    <label>
      Time zone of From, Until and the list
      <select name="zone" {...(zone === undefined ? { 'data-zone': 'own' } : {})}>
        {[...new Set([UTC, zone ?? UTC])].map((each) => (
          <option key={each} value={each} selected={each === zone}>
            {each}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Names the zone above the list, also while the filter is closed. */
export function ZoneNote({ written }: { written: TimeFilter }) {
  const zone = zoneOf(written)
  return (
    <p class="muted">
      Times are in <span {...(zone === undefined ? { 'data-zone': 'own' } : {})}>{zone ?? UTC}</span>.
    </p>
  )
}

export function Moment({
  name,
  label,
  value = '',
}: {
  name: string
  label: string
  value: string | undefined
}) {
  return (
    <label>
      {label}
      <input type="datetime-local" name={name} value={value} />
    </label>
  )
}

/** @param props.zone undefined: the reader's */
export function TimeIn({ zone, at }: { zone: string | undefined; at: Date }) {
  if (zone === undefined) return <Time at={at} />
  // `console.js` leaves the zone as it is.
  return (
    <time dateTime={at.toISOString()} data-zone={zone}>
      {clockIn(zone, at)}
    </time>
  )
}
