import type { Database } from '../../connection.js'
import type { NewDelivery } from './creating.js'

const MADE_DUE = `update deliveries d set due_at = now(), job_generation = d.job_generation + 1`
const RETURNING = `returning d.id, d.endpoint_id as "endpointId", d.job_generation as generation`

/**
 * Makes the next attempt of a waiting delivery due now.
 *
 * @returns undefined if it does not wait, or is not the user's
 */
export async function makeDeliveryDue(
  db: Database,
  userId: string,
  id: string,
): Promise<NewDelivery | undefined> {
  const { rows } = await db.raw<{ rows: NewDelivery[] }>(
    `${MADE_DUE} where d.user_id = ? and d.id = ?::uuid and d.status = 'pending' and d.due_at > now() ${RETURNING}`,
    [userId, id],
  )
  return rows[0]
}

/**
 * Does the same as `makeDeliveryDue` for an endpoint's deliveries that wait for their next attempt, in the order in
 * which they are due.
 */
export async function makeDeliveriesDue(
  db: Database,
  endpointId: string,
  limit: number,
): Promise<NewDelivery[]> {
  const { rows } = await db.raw<{ rows: NewDelivery[] }>(
    `${MADE_DUE} from (
       select id from deliveries where status = 'pending' and id = any (array(
         select w.id from (values (0), (1)) kind (is_retry) cross join lateral (
           select p.id, p.due_at from deliveries p
           where p.endpoint_id = ? and least(p.round_attempt_count, 1) = kind.is_retry and p.status = 'pending'
             and p.due_at > now() order by p.due_at, p.id limit ?
         ) w order by w.due_at, w.id limit ?))
       for update skip locked
     ) waiting
     where d.id = waiting.id and d.status = 'pending' ${RETURNING}`,
    [endpointId, limit, limit],
  )
  return rows
}
