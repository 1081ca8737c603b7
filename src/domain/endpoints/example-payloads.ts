import { EVENT_TYPES, isOfAccount, type EventType } from '../../event-types.js'
import { payloadOf } from '../operating/notices/describe.js'

/** The payload of an event of a type in examples and test events. */
export function examplePayloadOf(type: EventType): string {
  if (!isOfAccount(type)) return EVENT_TYPES[type].example
  const { example } = EVENT_TYPES[type]
  return payloadOf({ kind: type, userId: 'userId' in example ? example.userId : null, details: example })
}
