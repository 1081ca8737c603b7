import { EVENT_TYPES, isOfAccount } from '../../../event-types.js'
import type { Event } from '../../../database/endpoints/events.js'
import type { EndpointPolicy, Shape } from '../../../database/endpoints/policy.js'
import { shorten } from '../../../kit/text/characters.js'
import { timeOfId } from '../../../ids.js'
import { fillTemplate, type TemplateOwner } from './template.js'
import type { Vocabulary } from '../../../vocabulary.js'

export type EventContent = Omit<Event, 'id' | 'messageId'>

/** The content of the POST, which is the same at each attempt. */
export interface ShapedEvent {
  contentType: string
  headers?: Record<string, string>
  body: string
}

interface Surroundings {
  config: { publicUrl: string }
  vocabulary: Vocabulary
}

type EventWithId = EventContent & { eventId: string }

/** The relevant part of the policy. */
type ShapePolicy = Pick<EndpointPolicy, 'shape' | 'template' | 'templateContentType'>

/**
 * Shapes an event as its endpoint wants it.
 *
 * @param owner whose template it is
 * @throws TemplateFailed, TemplateTooHeavy
 */
export async function shapeEvent(
  context: Surroundings,
  event: EventWithId,
  { shape, template, templateContentType: contentType }: ShapePolicy,
  owner: TemplateOwner,
): Promise<ShapedEvent> {
  if (shape !== 'template') return SHAPERS[shape](event, context)
  const fields = {
    ...fieldsOf(event, context.vocabulary),
    type: event.type,
    id: event.eventId,
    time: timeOf(event),
  }
  return { contentType, body: await fillTemplate(owner, template ?? '', contentType, fields) }
}

const JSON_TYPE = 'application/json'

const SHAPERS: Record<
  Exclude<Shape, 'template'>,
  (event: EventWithId, context: Surroundings) => ShapedEvent
> = {
  linehook: (event, { vocabulary }) => ({ contentType: JSON_TYPE, body: eventBody(event, vocabulary) }),

  // This follows the HTTP protocol binding of CloudEvents 1.0.2, §3.2.
  cloudevents: (event, context) => ({
    contentType: 'application/cloudevents+json; charset=utf-8',
    body: JSON.stringify({
      ...attributesOf(event, context),
      datacontenttype: JSON_TYPE,
      data: fieldsOf(event, context.vocabulary),
    }),
  }),

  // This follows §3.1 of the same binding: the attributes are headers.
  'cloudevents-binary': (event, context) => ({
    contentType: JSON_TYPE,
    headers: Object.fromEntries(
      Object.entries(attributesOf(event, context)).map(([name, value]) => [`ce-${name}`, value]),
    ),
    body: eventBody(event, context.vocabulary),
  }),

  slack: (event) =>
    asJson({ text: shorten(EVENT_TYPES[event.type].sentence(event), SLACK_LENGTH, escapeForSlack) }),

  // A stranger's text must not mention anyone, for example with @everyone.
  discord: (event) =>
    asJson({
      content: shorten(EVENT_TYPES[event.type].sentence(event), DISCORD_LENGTH),
      allowed_mentions: { parse: [] },
    }),

  ifttt: ({ type, fromNumber, payload, toNumber }) => {
    if (!isOfAccount(type)) return asJson({ value1: fromNumber, value2: payload, value3: toNumber })
    const { title, text } = JSON.parse(payload) as { title: string; text: string }
    return asJson({ value1: title, value2: text, value3: type })
  },
}

/** Slack cuts longer texts itself, in the middle of what we escaped. */
const SLACK_LENGTH = 4000
/** Discord returns 400 for longer ones. */
const DISCORD_LENGTH = 2000

/**
 * Makes the body that an endpoint gets by default: always exactly these six fields. An operational webhook gets what
 * Standard Webhooks suggests: a type, a time, and the rest.
 */
export function eventBody(event: EventWithId, vocabulary: Vocabulary): string {
  const fields = fieldsOf(event, vocabulary)
  return JSON.stringify(
    isOfAccount(event.type) ? { type: event.type, timestamp: timeOf(event), data: fields } : fields,
  )
}

function fieldsOf(event: EventContent, vocabulary: Vocabulary): Record<string, unknown> {
  const { type, payload, fromNumber, toNumber, userId, lineId } = event
  if (isOfAccount(type)) return JSON.parse(payload) as Record<string, unknown>
  return { type, payload, fromNumber, toNumber, userId, [vocabulary.idField]: lineId }
}

function attributesOf(event: EventWithId, { config, vocabulary }: Surroundings) {
  const { eventId, lineId, type } = event
  return {
    specversion: '1.0',
    id: eventId,
    source: config.publicUrl + (lineId === null ? '' : vocabulary.path(`/v1/lines/${lineId}`)),
    type: `linehook.${type}`,
    time: timeOf(event),
  }
}

function timeOf({ eventId }: EventWithId): string {
  return timeOfId(eventId).toISOString()
}

function asJson(body: object): ShapedEvent {
  return { contentType: JSON_TYPE, body: JSON.stringify(body) }
}

/**
 * https://docs.slack.dev/messaging/formatting-message-text: a stranger's text must not mention anyone, or show a link
 * under another name.
 */
function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
