import { EVENT_TYPES, type EventType } from '../../event-types.js'
import { isOfAccount } from '../../event-types.js'
import { payloadOf } from '../operating/notices/in-words.js'

/** The payload of an event of a type, as examples show it and test events have it. */
export function examplePayloadOf(type: EventType): string {
  if (!isOfAccount(type)) return EVENT_TYPES[type].example
  const { userId = null, ...details } = { ...EVENT_TYPES[type].example } as { userId?: string | null }
  return payloadOf({ kind: type, userId, details: { userId, ...details } })
}
