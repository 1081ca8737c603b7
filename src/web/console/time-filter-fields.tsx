import { Ago, Time, useFault } from './form.js'
import { instantOf, readLocal, zoneOf, type TimeFilter } from './time-filter.js'
import { clockIn, fieldIn, minuteIn, UTC } from './zone.js'

const DAY_MS = 86_400_000

/**
 * Shows the zone of the times beside it. If it is undefined or empty, `console.js` chooses the reader's own, and shows a
 * list in it too. Without a script it is UTC.
 */
export function ZoneSelect(props: { zone: string | undefined }) {
  const zone = (useFault()?.fields.zone ?? props.zone) || undefined
  return (
    <label>
      Time zone
      <select name="zone" data-zone={zone === undefined ? 'own' : undefined}>
        {[...new Set([UTC, zone ?? UTC])].map((each) => (
          <option key={each} value={each} selected={each === zone}>
            {each}
          </option>
        ))}
      </select>
    </label>
  )
}

export function Moment(props: { name: 'from' | 'until'; label: string; written: TimeFilter }) {
  const { name, label, written } = props
  const value = written[name] ?? ''
  const zone = zoneOf(written)
  const at = instantOf(value)
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        name={name}
        value={at === undefined ? value : fieldIn(zone ?? UTC, at)}
        {...(at === undefined || zone !== undefined ? {} : { 'data-at': at.toISOString() })}
      />
    </label>
  )
}

/** Shows an end of the time range as people read it; what is no time stays as it was written. */
export function WrittenMoment({ name, written }: { name: 'from' | 'until'; written: TimeFilter }) {
  const value = written[name] ?? ''
  const zone = zoneOf(written)
  const at = instantOf(value) ?? readLocal(value, zone ?? UTC)
  if (Number.isNaN(at.getTime())) return <>{value}</>
  return (
    <time
      dateTime={at.toISOString()}
      data-as="date"
      data-zone={zone}
    >{`${minuteIn(zone ?? UTC, at)}${zone === undefined ? ' UTC' : ''}`}</time>
  )
}

/** @param props.zone undefined for the reader's */
export function TimeIn({ zone, at }: { zone: string | undefined; at: Date }) {
  if (zone === undefined) return <Time at={at} />
  return (
    <time dateTime={at.toISOString()} data-zone={zone}>
      {clockIn(zone, at)}
    </time>
  )
}

/**
 * Shows the time of a row below its day; if it is less than a day old, how long ago it was. Pointing at it shows the
 * full time.
 *
 * @param props.zone undefined for the reader's
 */
export function TimeOfDay({ zone, at }: { zone: string | undefined; at: Date }) {
  if (zone === undefined && Date.now() - at.getTime() < DAY_MS) return <Ago at={at} />
  const [day, clock = '', name = ''] = clockIn(zone ?? UTC, at).split(' ')
  return (
    // `console.js` shows it in the reader's zone, unless it has one.
    <time
      dateTime={at.toISOString()}
      title={`${day ?? ''} ${clock} ${name}`}
      data-as="clock"
      data-zone={zone}
    >
      {`${clock} ${name}`}
    </time>
  )
}
