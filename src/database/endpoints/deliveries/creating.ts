import { isOptIn, type OptInEventType, type AccountEventType } from '../../../event-types.js'
import { newId } from '../../../ids.js'
import { callFunction, columnsOfAnswer, type Answer } from '../../answers.js'
import type { Database } from '../../connection.js'
import { countOf } from '../../lists.js'
import type { Event } from '../events.js'
import { toJson } from '../../text.js'

export interface NewDelivery {
  id: string
  endpointId: string
  generation: number
}

/** An endpoint that a line's events go to. */
export interface EndpointOfLine extends Answer<'endpoints_of_lines'> {
  lineId: string
  endpointId: string
  /** A disabled endpoint is listed, because its deliveries are held. */
  isDisabled: boolean
  /** null if it is one of the line's own. */
  applicationId: string | null
  optInEvents: OptInEventType[]
}

/** Returns the line's own endpoints first, oldest first. */
export async function findEndpointsOfLine(db: Database, lineId: string): Promise<EndpointOfLine[]> {
  const { rows } = await db.raw<{ rows: EndpointOfLine[] }>(
    `select ${columnsOfAnswer('endpoints_of_lines', 'o')}
     from endpoints_of_lines(array[?::uuid]) o join endpoints e on e.id = o.endpoint_id
     order by o.application_id nulls first, e.id`,
    [lineId],
  )
  return rows
}

/**
 * Makes one delivery of an event for each endpoint that its line has now and that gets events of its type.
 *
 * @param heldFor why none of them may go out yet: all are held with this failure
 * @returns the deliveries that may go out, to be enqueued after the commit
 */
export async function createDeliveries(db: Database, event: Event, heldFor?: string): Promise<NewDelivery[]> {
  const row = {
    event_id: event.id,
    delivery_id: newId(),
    user_id: event.userId,
    line_id: event.lineId,
    event_type: event.type,
    from: event.fromNumber,
    opt_in: isOptIn(event.type),
  }
  const made = await callFunction<'create_deliveries', { eventId: string; id: string; endpointId: string }>(
    db,
    'create_deliveries',
    '?::jsonb, ?::text',
    [toJson([row]), heldFor ?? null],
  )
  return made.map(({ id, endpointId }) => ({ id, endpointId, generation: 0 }))
}

/**
 * Makes events about a change, and their deliveries: for the endpoints of the line that asked for the type, or without
 * a line for the user's operational webhooks. No event is made without receivers.
 *
 * @param endpointId the endpoint that all of them go to; by default those of their lines, or of their user
 * @returns the deliveries that may go out, to be enqueued after the commit
 */
export async function announceEvents(
  db: Database,
  events: readonly (Event & { type: OptInEventType | AccountEventType })[],
  endpointId?: string,
): Promise<NewDelivery[]> {
  if (events.length === 0) return []
  const rows = events.map((event) => ({
    event_id: event.id,
    user_id: event.userId,
    line_id: event.lineId,
    message_id: event.messageId,
    type: event.type,
    payload: event.payload,
    from: event.fromNumber,
    to: event.toNumber,
    endpoint_id: endpointId,
  }))
  const { rows: answers } = await db.raw<{ rows: [{ deliveries: NewDelivery[] }] }>(
    `select announce_events(?::jsonb) as deliveries`,
    [toJson(rows)],
  )
  return answers[0].deliveries
}

/**
 * True for deliveries that are held because their event's media are not copied; `last_failure` shows it. They go out
 * once the copy exists, not when their endpoint works again.
 */
export const WITHOUT_MEDIA = `coalesce(last_failure, '') like 'media\\_%'`

export async function countHeldDeliveries(db: Database, endpointId: string): Promise<number> {
  const held = `deliveries where endpoint_id = ? and status = 'held' and not ${WITHOUT_MEDIA}`
  return countOf(db, held, [endpointId])
}

/**
 * Gives held deliveries of an endpoint a new round of attempts: those after a given one, oldest first, except those
 * that wait for media. The result is in order of their ids.
 */
export async function releaseHeldDeliveries(
  db: Database,
  endpointId: string,
  afterId: string,
  limit: number,
): Promise<NewDelivery[]> {
  const { rows } = await db.raw<{ rows: NewDelivery[] }>(
    `with released as (
       update deliveries set status = 'pending', due_at = clock_timestamp(), round_attempt_count = 0, crash_count = 0, lost_count = 0,
         job_generation = job_generation + 1
       where id in (select id from deliveries where endpoint_id = ? and status = 'held' and id > ?
                      and not ${WITHOUT_MEDIA}
                    order by id limit ? for update skip locked)
       returning id, endpoint_id as "endpointId", job_generation as generation
     )
     select * from released order by id`,
    [endpointId, afterId, limit],
  )
  return rows
}

/**
 * Releases deliveries that were held because their line was disabled, if it is active now, and continues their rounds
 * of attempts where they were. It waits for those that somebody has locked, in order of their ids: nobody looks for them
 * again after this.
 */
export async function releaseDeliveriesOfLine(
  db: Database,
  lineId: string,
  limit: number,
): Promise<NewDelivery[]> {
  const { rows } = await db.raw<{ rows: NewDelivery[] }>(
    `with released as (
       update deliveries set status = 'pending', due_at = clock_timestamp(), last_failure = null,
         job_generation = job_generation + 1
       where id in (select d.id from deliveries d join lines l on l.id = d.line_id and l.status = 'active'
                    where d.line_id = ? and d.last_failure = 'line_disabled' and d.status = 'held'
                    order by d.id limit ? for update of d)
       returning id, endpoint_id as "endpointId", job_generation as generation
     )
     select * from released order by id`,
    [lineId, limit],
  )
  return rows
}
