import { EVENT_TYPES, type EventType, type OptInEventType } from '../../../event-types.js'
import { CheckBoxes } from '../form.js'

/** Offers the events that an endpoint gets only if it asks for them: receivers refuse types that they do not know. */
export function OptInEvents(props: { types: readonly OptInEventType[]; chosen: readonly OptInEventType[] }) {
  const { types, chosen } = props
  return <CheckBoxes name="optInEvents" legend="Also post" options={types.map(eventOption)} ticked={chosen} />
}

export function eventOption(type: EventType) {
  const words = (
    <>
      <code>{type}</code> when {EVENT_TYPES[type].when}
    </>
  )
  return [type, words] as const
}
