import { EVENT_TYPES, type OptInEventType } from '../../../event-types.js'
import { faultOf, useFault } from '../form.js'

/** Offers the events that an endpoint gets only if it asks for them: receivers refuse types that they do not know. */
export function OptInEvents(props: { types: readonly OptInEventType[]; chosen: readonly OptInEventType[] }) {
  const { types } = props
  const fault = useFault()
  const chosen = fault === undefined ? props.chosen : (fault.fields.optInEvents ?? '').split('\n')
  const { note } = faultOf(fault, { name: 'optInEvents', label: 'Also post' })
  return (
    <fieldset>
      <legend>Also post</legend>
      {note}
      {types.map((type) => (
        <label key={type}>
          <input
            type="checkbox"
            name="optInEvents"
            value={type}
            checked={(chosen as readonly string[]).includes(type)}
          />
          <code>{type}</code> when {EVENT_TYPES[type].when}
        </label>
      ))}
    </fieldset>
  )
}
