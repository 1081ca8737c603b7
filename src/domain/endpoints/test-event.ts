import { findEndpoint, type EndpointToCall } from '../../database/endpoints/endpoints.js'
import { EVENT_TYPES, type Event, type EventType } from '../../database/endpoints/events.js'
import { insertTestEvent } from '../../database/endpoints/test-events.js'
import { UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { requireConnection, requireEnabled } from '../lines/connection-requirements.js'
import type { Context } from '../context.js'
import { postEvent } from './deliveries/deliver.js'
import { EXAMPLE_PAYLOADS } from './example-events.js'
import { getOwnLine } from '../lines/lines.js'
import { LINE_OPT_IN_EVENT_TYPES } from './opt-in-events.js'
import { NO_URL } from './signing-secrets.js'

export interface TestEventResult {
  delivered: boolean
  responseStatus: number | null
  /** The failure's name, as in delivery attempts; `no_url`: it was for listeners only. */
  failure: string | null
  durationMs: number
  responseExcerpt: string | null
}

/** What a line's own endpoint may get, and so what may be tried there. */
export const TEST_EVENT_TYPES: readonly EventType[] = [...EVENT_TYPES, ...LINE_OPT_IN_EVENT_TYPES]

/**
 * @param written empty or left out: a text
 * @throws UserError 400
 */
export function readTestEventType(written: string | undefined): EventType {
  if (written === undefined || written === '') return 'inboundText'
  const type = TEST_EVENT_TYPES.find((each) => each === written)
  if (type === undefined) throw new UserError(`type must be one of ${TEST_EVENT_TYPES.join(', ')}`)
  return type
}

/**
 * POSTs a signed event to the line's outgoing webhook URL, now and only once, so that a developer sees what a real event
 * would do. It is no event of the line: it is not kept (for listeners an hour), not tried again, and does not count for the endpoint's health.
 * It comes from the line's own number, so that an automatic answer to it is refused and reaches nobody.
 *
 * @param options.furtherId left out: it goes to the outgoing webhook URL
 * @param options.listeners whoever listens to the line gets it too; then it is no fault that there is no URL
 * @throws UserError 404, 409 when the connection is not enabled or has no URL, 429 after 100 for listeners in an hour
 */
export async function sendTestEvent(
  context: Context,
  userId: string,
  lineId: string,
  type: EventType = 'inboundText',
  { furtherId, listeners = false }: { furtherId?: string | undefined; listeners?: boolean } = {},
): Promise<TestEventResult> {
  const { number } = await getOwnLine(context, userId, lineId)
  // Nobody hears of what is for an endpoint that is not there.
  if (furtherId !== undefined) await requireConnection(context.db, userId, lineId, { endpointId: furtherId })
  const event = exampleOf({ lineId, number, userId }, type)
  if (listeners && !(await insertTestEvent(context.db, event))) throw new UserError(TOO_MANY, 429)
  try {
    const { endpointId } = await requireEnabled(context.db, userId, lineId, { endpointId: furtherId })
    const endpoint = endpointId === null ? undefined : await findEndpoint(context.db, endpointId)
    if (endpointId === null || endpoint === undefined) throw new UserError(NO_URL, 409)
    return await postExample(context, { ...endpoint, endpointId }, event)
  } catch (error) {
    if (listeners && error instanceof UserError && error.status === 409) return NOWHERE
    throw error
  }
}

const TOO_MANY = 'this line had 100 test events for listeners within an hour: wait a while'
const NOWHERE: TestEventResult = {
  delivered: false,
  responseStatus: null,
  failure: 'no_url',
  durationMs: 0,
  responseExcerpt: null,
}

/** Posts the test event of this line to any endpoint. */
export async function deliverTestEvent(
  context: Context,
  endpoint: EndpointToCall & { endpointId: string },
  line: TestedLine,
  type: EventType = 'inboundText',
): Promise<TestEventResult> {
  return postExample(context, endpoint, exampleOf(line, type))
}

interface TestedLine {
  lineId: string
  number: string
  userId: string
}

function exampleOf({ lineId, number, userId }: TestedLine, type: EventType): Omit<Event, 'messageId'> {
  const numbers = { fromNumber: number, toNumber: number }
  return { id: newId(), type, payload: EXAMPLE_PAYLOADS[type], ...numbers, userId, lineId }
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
