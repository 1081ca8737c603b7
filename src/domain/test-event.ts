import { findEndpoint } from '../database/endpoints.js'
import { UserError } from '../errors.js'
import { newId } from '../ids.js'
import { requireEnabled } from './connection-requirements.js'
import type { Context } from './context.js'
import { postEvent, type EventForEndpoint } from './deliveries/attempt.js'
import { getOwnLine } from './lines.js'
import { NO_URL } from './signing-secrets.js'

export interface TestEventResult {
  delivered: boolean
  responseStatus: number | null
  /** The failure's name, as in delivery attempts. */
  failure: string | null
  durationMs: number
  responseExcerpt: string | null
}

/**
 * POSTs a signed event to the line's outgoing webhook URL, once and at once, so that a developer sees what a real
 * one would do. It is no event of the line: it is not kept, not retried, and says nothing about the endpoint's
 * health. It comes from the line's own number, to which nothing can be sent by mistake.
 *
 * @throws UserError 404, 409 when the connection is not enabled or has no URL
 */
export async function sendTestEvent(
  context: Context,
  userId: string,
  lineId: string,
): Promise<TestEventResult> {
  const { number } = await getOwnLine(context, userId, lineId)
  const { endpointId } = await requireEnabled(context.db, userId, lineId)
  const endpoint = endpointId === null ? undefined : await findEndpoint(context.db, endpointId)
  if (endpointId === null || endpoint === undefined) throw new UserError(NO_URL, 409)
  return deliverTestEvent(context, { ...endpoint, endpointId }, { lineId, number, userId })
}

/** To any endpoint, as of this line. */
export async function deliverTestEvent(
  context: Context,
  endpoint: Pick<EventForEndpoint, 'endpointId' | 'url' | 'secretSealed' | 'previousSecretSealed'>,
  { lineId, number, userId }: { lineId: string; number: string; userId: string },
): Promise<TestEventResult> {
  const { durationMs, failure, response } = await postEvent(
    context,
    {
      ...endpoint,
      eventId: newId(),
      type: 'inboundText',
      payload: 'A test event from Linehook',
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
