import { ACTION_GROUPS, ACTIONS, groupOf, listActions } from '../../../../domain/operating/audit/actions.js'
import { zoneOf } from '../../time-filter.js'
import { Moment, ZoneSelect } from '../../time-filter-fields.js'
import type { WrittenFilter } from './filter.js'
import { Refusal } from '../../form.js'

/** Shows a GET form, so that the filter is in the address, to be kept and shared. */
export function AuditFilterForm(props: {
  path: string
  written: WrittenFilter
  fault: string | undefined
  isOwn: boolean
}) {
  const { path, written, fault, isOwn } = props
  return (
    <details open={fault !== undefined || Object.keys(written).length > 0}>
      <summary>Filter</summary>
      <form method="get" action={path} class="filter">
        <Refusal fault={fault} />
        <ActionChoice chosen={written.action ?? ''} />
        {!isOwn && (
          <>
            <Text name="actor" label="Actor" hint="Email or ID" written={written} />
            <Text name="subject" label="Subject" hint="ID, number or email" written={written} />
            <Text name="user" label="Owner" hint="Email or ID" written={written} />
          </>
        )}
        <ZoneSelect zone={zoneOf(written)} />
        <Moment name="from" label="From" written={written} />
        <Moment name="until" label="Until" written={written} />
        <button type="submit" class="secondary">
          Filter
        </button>
        <a href={path}>Clear filters</a>
      </form>
    </details>
  )
}

function ActionChoice({ chosen }: { chosen: string }) {
  return (
    <label>
      Action
      <select name="action">
        <option value="">Any action</option>
        {ACTION_GROUPS.map((group) => (
          <optgroup key={group} label={group.replaceAll('_', ' ')}>
            <option value={group} selected={group === chosen}>
              {`Everything: ${group.replaceAll('_', ' ')}`}
            </option>
            {listActions()
              .filter((action) => groupOf(action) === group)
              .map((action) => (
                <option key={action} value={action} selected={action === chosen}>
                  {ACTIONS[action].words}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}

function Text(props: {
  name: 'actor' | 'subject' | 'user'
  label: string
  hint: string
  written: WrittenFilter
}) {
  const { name, label, hint, written } = props
  return (
    <label>
      {label}
      <input name={name} value={written[name] ?? ''} placeholder={hint} dir="auto" />
    </label>
  )
}
