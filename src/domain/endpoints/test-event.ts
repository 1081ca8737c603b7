import { LINE_EVENT_TYPES, type EventType } from '../../event-types.js'
import { findEndpointToCall, type EndpointToCall } from '../../database/endpoints/endpoints.js'
import type { Event } from '../../database/endpoints/events.js'
import { insertTestEvent } from '../../database/endpoints/test-events.js'
import { UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { findLineConnection, requireEnabled } from '../lines/connection-requirements.js'
import type { Context } from '../context.js'
import { postEvent } from './deliveries/post-event.js'
import { getOwnLine } from '../lines/lines.js'
import { examplePayloadOf } from './example-payloads.js'
import { optInEventsOf, unaskedEventsOf } from './opt-in-events.js'
import { getEndpoint, isOperational, type EndpointCaller, type Endpoint } from './get-endpoint.js'

export interface TestEventResult {
  delivered: boolean
  responseStatus: number | null
  /** The failure's name, as in delivery attempts; `no_url` means that it was for listeners only. */
  failure: string | null
  durationMs: number
  responseExcerpt: string | null
}

/** Lists the types that can be tried at an endpoint, which are those that it may get. */
export function testEventTypesOf(owner: Pick<Endpoint, 'lineId' | 'applicationId'>): readonly EventType[] {
  return [...unaskedEventsOf(owner), ...optInEventsOf(owner)]
}

/**
 * @param written the first type if empty or left out
 * @throws UserError 400
 */
function readTestEventType<Type extends EventType>(
  written: string | undefined,
  types: readonly Type[],
): Type {
  const type = types.find((each) => each === (written || types[0]))
  if (type === undefined) throw new UserError(`type must be one of ${types.join(', ')}`)
  return type
}

/** A test event to an application is not about a line, and comes from a number that is not in use. */
const NO_LINE = { lineId: '00000000-0000-0000-0000-000000000000', number: '+15005550100' }
const NO_NUMBER = { lineId: null, number: null }

/**
 * POSTs a signed event to the endpoint, now and only once, so that a developer sees what a real event would do. It is
 * not an event of the line: it is not stored (except an hour for listeners), not retried, and does not count for the
 * endpoint's health. It comes from the line's own number, so that an automatic answer to it is refused and reaches no
 * one.
 *
 * @param written a type, as a user wrote it; if empty or left out, the first that the endpoint gets
 * @param options.listeners true to send it to the line's listeners too
 * @throws UserError 400 for the type, 404, 409 if the line's connection is not enabled, 429 after 100 for listeners
 *   in an hour
 */
export async function sendTestEvent(
  context: Context,
  caller: EndpointCaller,
  id: string,
  written?: string,
  { listeners = false }: { listeners?: boolean } = {},
): Promise<TestEventResult> {
  const { db } = context
  const { lineId, userId, applicationId, ...endpoint } = await getEndpoint(context, caller, id)
  const isOfAccount = isOperational({ lineId, applicationId })
  const type = readTestEventType(written, testEventTypesOf({ lineId, applicationId }))
  if (lineId !== null) await requireEnabled(db, userId, lineId)
  const noLine = isOfAccount ? NO_NUMBER : NO_LINE
  const line =
    lineId === null ? noLine : { lineId, number: (await getOwnLine(context, userId, lineId)).number }
  const event = exampleOf({ ...line, userId }, type)
  if (listeners && lineId !== null) await tellListeners(context, event)
  const toCall = await findEndpointToCall(db, endpoint.id)
  if (toCall === undefined) throw new UserError('No such endpoint', 404)
  return postExample(context, { ...toCall, endpointId: endpoint.id }, event)
}

/**
 * Does the same as `sendTestEvent` for the outgoing webhook of a line, if it has one that is enabled, and for the
 * line's listeners: then having no webhook is not an error.
 *
 * @throws UserError 404, 429
 */
export async function triggerEvent(
  context: Context,
  userId: string,
  lineId: string,
  written?: string,
): Promise<TestEventResult> {
  const type = readTestEventType(written, LINE_EVENT_TYPES)
  const { number } = await getOwnLine(context, userId, lineId)
  const connection = await findLineConnection(context.db, userId, lineId)
  const endpointId = connection?.enabled === true ? connection.endpointId : null
  if (endpointId !== null) return sendTestEvent(context, { userId }, endpointId, type, { listeners: true })
  await tellListeners(context, exampleOf({ lineId, number, userId }, type))
  return NOWHERE
}

async function tellListeners({ db }: Context, event: Omit<Event, 'messageId'>): Promise<void> {
  if (await insertTestEvent(db, event)) return
  throw new UserError('This line has sent 100 test events to listeners within an hour. Try again later', 429)
}

const NOWHERE: TestEventResult = {
  delivered: false,
  responseStatus: null,
  failure: 'no_url',
  durationMs: 0,
  responseExcerpt: null,
}

function exampleOf(
  { lineId, number, userId }: { lineId: string | null; number: string | null; userId: string },
  type: EventType,
): Omit<Event, 'messageId'> {
  const numbers = { fromNumber: number, toNumber: number }
  return { id: newId(), type, payload: examplePayloadOf(type), ...numbers, userId, lineId }
}

async function postExample(
  context: Context,
  endpoint: EndpointToCall & { endpointId: string },
  { id: eventId, ...event }: Omit<Event, 'messageId'>,
): Promise<TestEventResult> {
  const { durationMs, failure, response } = await postEvent(
    context,
    { ...endpoint, ...event, eventId },
    new Date(),
  )
  return {
    delivered: failure === undefined,
    responseStatus: response?.status ?? null,
    failure: failure ?? null,
    durationMs,
    responseExcerpt: response?.excerpt ?? null,
  }
}
