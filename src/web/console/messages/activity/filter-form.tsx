import { EVENT_TYPES, OPT_IN_EVENT_TYPES } from '../../../../event-types.js'
import type { OwnLine } from '../../../../database/lines/lines.js'
import { MESSAGE_TYPES } from '../../../../database/messages/message.js'
import { FAILURE_NAMES } from '../../endpoints/failures.js'
import { Refusal, Select } from '../../form.js'
import { fieldLabel } from '../../form-fault.js'
import { TYPE_LABELS } from '../message/labels.js'
import { filterPath, zoneOf } from '../../time-filter.js'
import { Moment, WrittenMoment, ZoneSelect } from '../../time-filter-fields.js'
import { labelOf, UserText } from '../../user-text.js'
import { chosenOf, STATUSES, type FilterName, type WrittenFilter } from './filter.js'

type Options = readonly (readonly [value: string, label: string])[]

const ANY = ['', 'Any'] as const
const ALL = ['', 'All'] as const

const DIRECTIONS: Options = [ANY, ['outbound', 'Outbound'], ['inbound', 'Inbound']]
const TYPES: Options = [
  ANY,
  ...MESSAGE_TYPES.map((type) => [type, TYPE_LABELS[type]] as const),
  ...OPT_IN_EVENT_TYPES.map((type) => [type, `${EVENT_TYPES[type].label} (event)`] as const),
]

const LABELS: Record<FilterName, string> = {
  line: 'Line',
  direction: 'Direction',
  status: 'Status',
  type: 'Type',
  reason: 'Failure',
  number: 'Number',
  text: 'Text',
  from: 'From',
  until: 'Until',
  zone: 'Time zone',
}

interface Filter {
  path: string
  lines: readonly OwnLine[]
  written: WrittenFilter
  /** In a portal session the list is always for one line. */
  isPortal: boolean
}

/**
 * Shows a GET form, so that the filter is in the address, to be kept and shared. With a script a choice takes effect
 * immediately.
 */
export function FilterForm(props: Filter & { fault: string | undefined }) {
  const { path, lines, written, isPortal, fault } = props
  const hasTime = written.from !== undefined || written.until !== undefined
  return (
    <search aria-label="Filter">
      <form method="get" action={path} class="filter" data-auto>
        <Refusal fault={fault} />
        <Typed name="text" written={written} more={{ placeholder: 'Any words', 'data-key': '/' }} />
        {/* On a desk all of it is in sight. */}
        <details class="fold" open={fault !== undefined}>
          <summary>Filter</summary>
          <Choice name="line" options={[...(isPortal ? [] : [ALL]), ...optionsOf(lines)]} written={written} />
          <Choice name="direction" options={DIRECTIONS} written={written} />
          <Choice
            name="status"
            options={[ANY, ...STATUSES.map((each) => [each, fieldLabel(each)] as const)]}
            written={written}
          />
          <Choice name="type" options={TYPES} written={written} />
          <Typed name="reason" written={written} more={{ list: 'failures', placeholder: 'e.g. timeout' }} />
          <datalist id="failures">
            {FAILURE_NAMES.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <Typed name="number" written={written} more={{ inputmode: 'tel', placeholder: 'Any digits' }} />
          <details class={hasTime ? 'on' : ''} open={hasTime}>
            <summary>Time</summary>
            <Moment name="from" label={LABELS.from} written={written} />
            <Moment name="until" label={LABELS.until} written={written} />
            <ZoneSelect zone={zoneOf(written)} />
          </details>
          <button type="submit" class="secondary">
            Filter
          </button>
        </details>
      </form>
      <Chosen {...{ path, lines, written, isPortal }} />
    </search>
  )
}

/** Shows the active filters, each with a link to the list without it. */
function Chosen({ path, lines, written, isPortal }: Filter) {
  const { chosen, cleared } = chosenOf(written, { isPortal })
  if (chosen.length === 0) return null
  const lineNames = new Map(optionsOf(lines))
  return (
    <ul class="chosen">
      {chosen.map(([name, value]) => {
        const others = Object.fromEntries(Object.entries(written).filter(([each]) => each !== name))
        const label = `${LABELS[name]}: `
        return (
          <li key={name}>
            <a href={filterPath(path, others)} title={`Remove filter: ${LABELS[name]}`}>
              {label}
              {name === 'from' || name === 'until' ? (
                <WrittenMoment name={name} written={written} />
              ) : (
                <UserText>{name === 'line' ? (lineNames.get(value) ?? value) : value}</UserText>
              )}{' '}
              <span aria-hidden="true">×</span>
            </a>
          </li>
        )
      })}
      <li>
        <a href={filterPath(path, cleared)}>Clear filters</a>
      </li>
    </ul>
  )
}

function optionsOf(lines: readonly OwnLine[]): Options {
  return lines.map(({ id, name, number }) => [id, labelOf(name, number)])
}

function Choice(props: {
  name: 'line' | 'direction' | 'type' | 'status'
  options: Options
  written: WrittenFilter
}) {
  const { name, options, written } = props
  return <Select name={name} label={LABELS[name]} options={options} value={written[name] ?? ''} />
}

function Typed(props: {
  name: 'reason' | 'number' | 'text'
  written: WrittenFilter
  more: Record<string, string>
}) {
  const { name, written, more } = props
  return (
    <label>
      {LABELS[name]}
      <input
        name={name}
        value={written[name] ?? ''}
        dir="auto"
        maxLength={100}
        autocomplete="off"
        {...more}
      />
    </label>
  )
}
