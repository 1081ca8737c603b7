import { EVENT_TYPES, type OptInEventType } from '../../../event-types.js'
import { faultOf, typedIn } from '../form.js'
import type { Page } from '../page.js'

/** Offers the events that an endpoint gets only if it asks for them: receivers refuse types that they do not know. */
export function OptInEvents(props: {
  page: Page
  action: string
  types: readonly OptInEventType[]
  chosen: readonly OptInEventType[]
}) {
  const { page, action, types } = props
  const isRefused = page.fault?.action === action
  const chosen = isRefused ? (typedIn(page, action, 'optInEvents') ?? '').split('\n') : props.chosen
  const { note } = faultOf({ page, action, name: 'optInEvents', label: 'Also post' })
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
