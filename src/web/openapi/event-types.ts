import { EVENT_TYPES, type EventType } from '../../event-types.js'
import { eventBody } from '../../domain/endpoints/deliveries/shapes.js'
import type { Vocabulary } from '../../vocabulary.js'
import type { Schema } from './parts.js'
import { productNamesOf } from './product-names.js'
import { webhookSchemas } from './webhooks.js'

/**
 * The body of an event of one type, in the default shape, as JSON Schema 2020-12: what the OpenAPI document says of all
 * events, and what is true of this type only.
 */
export function eventSchema(type: EventType, { publicUrl, vocabulary }: Installation): Schema {
  const { Event = {} } = webhookSchemas(productNamesOf(vocabulary))
  const { properties } = Event as { properties: Record<string, Schema> }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${publicUrl}/schemas/${type}.json`,
    title: type,
    ...Event,
    properties: {
      ...properties,
      type: { const: type },
      payload: { ...properties.payload, ...EVENT_TYPES[type].payload },
    },
    examples: [JSON.parse(exampleBody(type, vocabulary))],
  }
}

interface Installation {
  publicUrl: string
  vocabulary: Vocabulary
}

/** As it is posted. */
export function exampleBody(type: EventType, vocabulary: Vocabulary): string {
  return eventBody(
    {
      type,
      payload: EVENT_TYPES[type].example,
      fromNumber: '+15005550199',
      toNumber: '+15005550100',
      userId: '01a1f8a0-0000-7000-8000-000000000002',
      lineId: '01a1f8a0-0000-7000-8000-000000000003',
    },
    vocabulary,
  )
}
