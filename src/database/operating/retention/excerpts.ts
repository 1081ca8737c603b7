import type { Database } from '../../connection.js'
import { FIRST_ID } from '../../../ids.js'

const TASK = 'excerpts'

/** The attempts that are old enough, and were not processed yet. */
const TO_DO = `id > coalesce((select until_id from retention_progress where task = '${TASK}'), '${FIRST_ID}')
  and id < lowest_id_at(now() - make_interval(days => ?))`

/**
 * Clears the endpoints' answers of the next attempts that are older than this many days. The position is recorded
 * with it, so that nothing is processed twice.
 *
 * @returns the number of attempts processed, at most `limit`, and the number that had an excerpt
 */
export async function clearExcerpts(
  db: Database,
  days: number,
  limit: number,
): Promise<{ lookedCount: number; clearedCount: number }> {
  const { rows } = await db.raw<{ rows: [{ lookedCount: number; clearedCount: number }] }>(
    `with looked as materialized (
       select id, response_excerpt is not null or response_headers is not null as has_excerpt from delivery_attempts where ${TO_DO} order by id limit ?
     ), cleared as (
       update delivery_attempts set response_excerpt = null, response_headers = null
       where id = any (array(select id from looked where has_excerpt)) returning id
     ), noted as (
       insert into retention_progress (task, until_id) select '${TASK}', id from looked order by id desc limit 1
       on conflict (task) do update set until_id = excluded.until_id
     )
     select (select count(*)::integer from looked) as "lookedCount",
       (select count(*)::integer from cleared) as "clearedCount"`,
    [days, limit],
  )
  return rows[0]
}

/** Counts the excerpts that would be cleared among the next attempts that are old enough. */
export async function countExcerpts(db: Database, days: number, limit: number): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    `select count(*) filter (where response_excerpt is not null or response_headers is not null)::integer as count from (
       select response_excerpt, response_headers from delivery_attempts where ${TO_DO} order by id limit ?) looked`,
    [days, limit],
  )
  return rows[0].count
}
