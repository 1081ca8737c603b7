import { OPT_IN_EVENT_TYPES } from '../../../database/events.js'
import type { OwnLine } from '../../../database/lines.js'
import { MESSAGE_TYPES } from '../../../database/messages/message.js'
import { Select } from '../form.js'
import { EVENT_LABELS, TYPE_LABELS } from '../message/labels.js'
import { Moment, ZoneChoice } from '../time-filter-fields.js'
import { STATUSES, type WrittenFilter } from './filter.js'

type Options = readonly (readonly [value: string, label: string])[]

const ANY = ['', 'Any'] as const

const KINDS: Options = [
  ['', 'Messages and deliveries'],
  ['message', 'Messages'],
  ['delivery', 'Deliveries of events'],
]
const DIRECTIONS: Options = [ANY, ['outbound', 'Sent by the line'], ['inbound', 'Received by the line']]
const TYPES: Options = [
  ANY,
  ...MESSAGE_TYPES.map((type) => [type, TYPE_LABELS[type]] as const),
  ...OPT_IN_EVENT_TYPES.map((type) => [type, `${EVENT_LABELS[type]} (event)`] as const),
]

/** A GET form: the filter is in the address, to be kept and shared. */
export function FilterForm(props: {
  path: string
  lines: readonly OwnLine[]
  written: WrittenFilter
  fault: string | undefined
}) {
  const { path, lines, written, fault } = props
  const lineOptions = lines.map(({ id, name, number }) => [id, labelOf(name, number)] as const)
  return (
    <details class="filter" open={fault !== undefined || Object.keys(written).length > 0}>
      <summary>Filter</summary>
      <form method="get" action={path}>
        {fault !== undefined && (
          <p role="alert" class="fault">
            {fault}
          </p>
        )}
        <Choice name="line" label="Line" options={[['', 'All lines'], ...lineOptions]} written={written} />
        <Choice name="kind" label="Show" options={KINDS} written={written} />
        <Choice name="direction" label="Direction" options={DIRECTIONS} written={written} />
        <Choice name="type" label="Type" options={TYPES} written={written} />
        <Choice
          name="status"
          label="Status"
          options={[ANY, ...STATUSES.map((each) => [each, each] as const)]}
          written={written}
        />
        <label>
          Number at the other end
          <input name="number" inputmode="tel" value={written.number ?? ''} placeholder="+15551234567" />
        </label>
        <ZoneChoice written={written} />
        <Moment name="from" label="From" value={written.from} />
        <Moment name="until" label="Until" value={written.until} />
        <div class="buttons">
          <button type="submit">Filter</button>
          <a href={path}>Show everything</a>
        </div>
      </form>
    </details>
  )
}

/** A line that has no name is called by its number already. */
export function labelOf(name: string, number: string): string {
  return name === number ? number : `${name} (${number})`
}

function Choice(props: {
  name: 'line' | 'kind' | 'direction' | 'type' | 'status'
  label: string
  options: Options
  written: WrittenFilter
}) {
  const { name, label, options, written } = props
  return <Select name={name} label={label} options={options} value={written[name] ?? ''} />
}
