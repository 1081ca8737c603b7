import type { Database } from '../connection.js'

/** The progress of a line and its owner's server so far. */
export interface FirstSteps {
  hasSent: boolean
  hasReceived: boolean
  /** True if a server of the line's owner accepted an event. */
  hasDelivered: boolean
  /** The newest event for that server; null if there was none yet. */
  newestEvent: {
    status: string
    /** The status of the last attempt's answer; null if there was no attempt yet, or no answer. */
    responseStatus: number | null
    durationMs: number | null
    failure: string | null
    /** True if the sample receiver of `npm start` answered. */
    isSample: boolean
  } | null
}

/** The response of the sample receiver of `npm start`, which is nobody's own server. */
export const SAMPLE_RECEIVER_RESPONSE = 'The sample receiver of Linehook'

/**
 * A line that has been in use for a while has done all the steps, or its owner closes the tour. So the newest rows are
 * enough, and they bound the cost of each query: by `messages_line`, `deliveries_line` and
 * `delivery_attempts_delivery`.
 */
const ROWS_LOOKED_AT = 100

export async function findFirstSteps(db: Database, lineId: string): Promise<FirstSteps> {
  const { rows } = await db.raw<{ rows: [FirstSteps] }>(
    `with newest as materialized (
       select id, status, last_failure, response_status, duration_ms,
         response_excerpt is not distinct from :sample as is_sample
       from (
         select id, status, last_failure, application_id from deliveries
         where line_id = :lineId order by id desc limit ${ROWS_LOOKED_AT}
       ) d left join lateral (
         select response_status, duration_ms, response_excerpt from delivery_attempts
         where delivery_id = d.id order by attempt_number desc limit 1
       ) a on true where application_id is null
     )
     select coalesce(bool_or(m.direction = 'outbound' and m.source <> 'service'), false) as "hasSent",
       coalesce(bool_or(m.direction = 'inbound'), false) as "hasReceived",
       exists (select from newest where status = 'delivered' and not is_sample) as "hasDelivered",
       (select jsonb_build_object('status', n.status, 'responseStatus', n.response_status,
          'durationMs', n.duration_ms, 'failure', n.last_failure, 'isSample', n.is_sample)
        from newest n order by id desc limit 1) as "newestEvent"
     from (select direction, source from messages where line_id = :lineId order by id desc limit ${ROWS_LOOKED_AT}) m`,
    { lineId, sample: SAMPLE_RECEIVER_RESPONSE },
  )
  return rows[0]
}

export async function isTourClosed(db: Database, userId: string): Promise<boolean> {
  const user = await db('users')
    .where({ id: userId })
    .first<{ closedAt: Date | null } | undefined>({ closedAt: 'tour_closed_at' })
  return user?.closedAt !== null
}

export async function setTourClosed(db: Database, userId: string): Promise<void> {
  await db('users').where({ id: userId }).whereNull('tour_closed_at').update({ tour_closed_at: db.fn.now() })
}
