import { findEndpoint, type EndpointToCall } from '../database/endpoints.js'
import { EVENT_TYPES, type EventType } from '../database/events.js'
import { UserError } from '../errors.js'
import { newId } from '../ids.js'
import { requireEnabled } from './connection-requirements.js'
import type { Context } from './context.js'
import { postEvent } from './deliveries/deliver.js'
import { EXAMPLE_PAYLOADS } from './example-events.js'
import { getOwnLine } from './lines.js'
import { LINE_OPT_IN_EVENT_TYPES } from './opt-in-events.js'
import { NO_URL } from './signing-secrets.js'

export interface TestEventResult {
  delivered: boolean
  responseStatus: number | null
  /** The failure's name, as in delivery attempts. */
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
 * would do. It is no event of the line: it is not stored, not tried again, and does not count for the endpoint's health.
 * It comes from the line's own number, so that an automatic answer to it is refused and reaches nobody.
 *
 * @param furtherId left out: it goes to the outgoing webhook URL
 * @throws UserError 404, 409 when the connection is not enabled or has no URL
 */
export async function sendTestEvent(
  context: Context,
  userId: string,
  lineId: string,
  type: EventType = 'inboundText',
  furtherId?: string,
): Promise<TestEventResult> {
  const { number } = await getOwnLine(context, userId, lineId)
  const { endpointId } = await requireEnabled(context.db, userId, lineId, { endpointId: furtherId })
  const endpoint = endpointId === null ? undefined : await findEndpoint(context.db, endpointId)
  if (endpointId === null || endpoint === undefined) throw new UserError(NO_URL, 409)
  return deliverTestEvent(context, { ...endpoint, endpointId }, { lineId, number, userId }, type)
}

/** Posts the test event of this line to any endpoint. */
export async function deliverTestEvent(
  context: Context,
  endpoint: EndpointToCall & { endpointId: string },
  { lineId, number, userId }: { lineId: string; number: string; userId: string },
  type: EventType = 'inboundText',
): Promise<TestEventResult> {
  const { durationMs, failure, response } = await postEvent(
    context,
    {
      ...endpoint,
      eventId: newId(),
      type,
      payload: EXAMPLE_PAYLOADS[type],
      fromNumber: number,
      toNumber: number,
      userId,
      lineId,
    },
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
