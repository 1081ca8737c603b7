import {
  EVENT_TYPES,
  isOfAccount,
  type AccountEventType,
  type EventType,
  type LineEventType,
} from '../../event-types.js'
import { examplePayloadOf } from '../../domain/endpoints/example-payloads.js'
import { eventBody } from '../../domain/endpoints/deliveries/shapes.js'
import type { Vocabulary } from '../../vocabulary.js'
import { moment, object, type Schema } from './parts.js'
import { inProductWord } from './product-word.js'
import { webhookSchemas } from './webhooks.js'

/**
 * Describes the body of an event of one type, in the default shape, as JSON Schema 2020-12: the OpenAPI document's
 * schema for all events, narrowed to this type.
 */
export function eventSchema(type: EventType, { publicUrl, vocabulary }: Installation): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${publicUrl}/schemas/${type}.json`,
    title: type,
    ...inProductWord(isOfAccount(type) ? accountEvent(type) : lineEvent(type), vocabulary),
    examples: [JSON.parse(exampleBody(type, vocabulary))],
  }
}

function lineEvent(type: LineEventType): Schema {
  const { Event } = webhookSchemas
  const { properties } = Event as { properties: Record<string, Schema> }
  return {
    ...Event,
    properties: {
      ...properties,
      type: { const: type },
      payload: { ...properties.payload, ...EVENT_TYPES[type].payload },
    },
  }
}

function accountEvent(type: AccountEventType): Schema {
  return object({ type: { const: type }, timestamp: moment, data: EVENT_TYPES[type].payload.contentSchema })
}

interface Installation {
  publicUrl: string
  vocabulary: Vocabulary
}

/** The id contains its time. */
const EXAMPLE_ID = '01a1f8a0-0000-7000-8000-000000000006'

/** The body as it is posted. */
export function exampleBody(type: EventType, vocabulary: Vocabulary): string {
  return eventBody(
    {
      type,
      eventId: EXAMPLE_ID,
      payload: examplePayloadOf(type),
      fromNumber: '+15005550199',
      toNumber: '+15005550100',
      userId: '01a1f8a0-0000-7000-8000-000000000002',
      lineId: '01a1f8a0-0000-7000-8000-000000000003',
    },
    vocabulary,
  )
}
