import { CLOCKS } from '../../lists.js'
import { transaction, type Database } from '../../connection.js'
import { only } from './reading.js'
import { STEP } from './traffic-counts.js'

/** SQL: the step of a time range. */
const stepOf = (interval: string) =>
  `ceil(ln(greatest(extract(epoch from ${interval}) * 1000, 1)) / ln(${STEP}))::integer`

/**
 * Messages are handed over within 30 days of waiting for their time and the longest MESSAGE_TTL_SECONDS, which is a
 * week. Those that were rescheduled for longer have their own index (`messages_postponed`), because without a lower bound of
 * ids each line would be looked up in the partition of every month.
 */
const OLDEST_HANDED_OVER = `interval '38 days'`
const IS_POSTPONED = `m.send_at - m.created_at > interval '30 days'`

const OF_HANDED_OVER = `m.handed_over_at, m.created_at, m.send_at, m.status, m.error, m.carrier_code, m.carrier_reason,
  m.carrier as sent_by`

/** SQL: a value of the latest of a minute's messages that failed. */
const lastOf = (value: string) =>
  `(array_agg(${value} order by handed_over_at desc) filter (where status in ('failed', 'unknown')))[1]`

/**
 * Counts these minutes from the rows and replaces the counts that were there. Two processes may do so at the same
 * time.
 *
 * A message counts as accepted or received in the minute in which it came; as sent, delivered, failed or unknown in
 * the minute of its hand-over, by its current state; if it failed before that, in the minute of its acceptance. An
 * event counts in the minute in which the endpoint answered.
 *
 * An account that was removed has its rows replaced too: what its lines accepted and received counts at the accounts that
 * they have now.
 *
 * `offset 0` has Postgres look up each line and each delivery by its index. Joined otherwise it would read whole
 * partitions for a minute's rows.
 */
export async function countMinutes(db: Database, since: Date, until: Date): Promise<void> {
  await db.raw(
    `insert into traffic_counts (seconds, begins_at, carrier, accepted, received, sent, delivered, failed, unknown,
       events_delivered, attempts_failed, to_carrier, to_endpoint, last_error, last_error_code, last_error_reason, last_error_at)
     with came as (
       select date_trunc('minute', m.created_at) as minute, l.carrier,
         count(*) filter (where m.direction = 'outbound') as accepted,
         count(*) filter (where m.direction = 'inbound') as received,
         count(*) filter (where m.status = 'failed' and m.handed_over_at is null and m.error is distinct from 'cancelled') as failed
       from messages m join lines l on l.id = m.line_id
       where m.id >= lowest_id_at(:since::timestamptz - ${CLOCKS}) and m.id < lowest_id_at(:until::timestamptz + ${CLOCKS})
         and m.created_at >= :since and m.created_at < :until
       group by 1, 2
     ), handed_over as materialized (
       select date_trunc('minute', m.handed_over_at) as minute, coalesce(m.sent_by, m.line_carrier) as carrier, m.*,
         ${stepOf('m.handed_over_at - greatest(m.created_at, m.send_at)')} as step
       from (
         select m.*, l.carrier as line_carrier from lines l cross join lateral (
           select ${OF_HANDED_OVER} from messages m
           where m.line_id = l.id and m.handed_over_at >= :since and m.handed_over_at < :until
             and m.id >= lowest_id_at(:since::timestamptz - ${OLDEST_HANDED_OVER})
             and m.id < lowest_id_at(:until::timestamptz + ${CLOCKS})
           offset 0
         ) m
         union all
         select ${OF_HANDED_OVER}, l.carrier from messages m join lines l on l.id = m.line_id
         where m.handed_over_at >= :since and m.handed_over_at < :until and ${IS_POSTPONED}
           and m.id < lowest_id_at(:since::timestamptz - ${OLDEST_HANDED_OVER})
       ) m
     ), sent as (
       select minute, carrier, count(*) filter (where status in ('sent', 'delivered')) as sent,
         count(*) filter (where status = 'delivered') as delivered,
         count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'unknown') as unknown,
         ${lastOf('error')} as last_error, ${lastOf('carrier_code')} as last_error_code,
         ${lastOf('carrier_reason')} as last_error_reason,
         ${lastOf('handed_over_at')} as last_error_at
       from handed_over group by 1, 2
     ), to_carrier as (
       select minute, carrier, jsonb_object_agg(step, count) as steps
       from (select minute, carrier, step, count(*) as count from handed_over group by 1, 2, 3) s group by 1, 2
     ), attempts as materialized (
       select date_trunc('minute', a.ended_at) as minute, l.carrier, a.failure is null as is_delivered,
         ${stepOf('a.ended_at - d.created_at')} as step
       from (
         select delivery_id, failure, started_at + duration_ms * interval '1 ms' as ended_at from delivery_attempts
         where id >= lowest_id_at(:since::timestamptz - ${CLOCKS}) and id < lowest_id_at(:until::timestamptz + ${CLOCKS})
       ) a
       cross join lateral (select line_id, created_at from deliveries where id = a.delivery_id offset 0) d
       join lines l on l.id = d.line_id
       where a.ended_at >= :since and a.ended_at < :until
     ), tried as (
       select minute, carrier, count(*) filter (where is_delivered) as delivered,
         count(*) filter (where not is_delivered) as failed
       from attempts group by 1, 2
     ), to_endpoint as (
       select minute, carrier, jsonb_object_agg(step, count) as steps
       from (select minute, carrier, step, count(*) as count from attempts where is_delivered group by 1, 2, 3) s
       group by 1, 2
     )
     select 60, m.minute, a.name, coalesce(came.accepted, 0), coalesce(came.received, 0), coalesce(sent.sent, 0),
       coalesce(sent.delivered, 0), coalesce(came.failed, 0) + coalesce(sent.failed, 0), coalesce(sent.unknown, 0),
       coalesce(tried.delivered, 0), coalesce(tried.failed, 0),
       coalesce(to_carrier.steps, '{}'), coalesce(to_endpoint.steps, '{}'),
       sent.last_error, sent.last_error_code, sent.last_error_reason, sent.last_error_at
     from generate_series(:since::timestamptz, :until::timestamptz - interval '1 minute', interval '1 minute') as m (minute)
     cross join (
       select name from carrier_accounts
       union select c.carrier from traffic_counts c where c.seconds = 60 and c.begins_at >= :since and c.begins_at < :until
     ) a
     left join came on came.minute = m.minute and came.carrier = a.name
     left join sent on sent.minute = m.minute and sent.carrier = a.name
     left join to_carrier on to_carrier.minute = m.minute and to_carrier.carrier = a.name
     left join tried on tried.minute = m.minute and tried.carrier = a.name
     left join to_endpoint on to_endpoint.minute = m.minute and to_endpoint.carrier = a.name
     order by 2, 3
     on conflict (seconds, begins_at, carrier) do update set ${REPLACED}`,
    bindingsOf(since, until),
  )
  await sumQuarters(db, since, until)
}

const REPLACED = [
  ...[
    'accepted',
    'received',
    'sent',
    'delivered',
    'failed',
    'unknown',
    'events_delivered',
    'attempts_failed',
  ],
  ...[
    'to_carrier',
    'to_endpoint',
    'last_error',
    'last_error_code',
    'last_error_reason',
    'last_error_at',
    'counted_at',
  ],
]
  .map((column) => `${column} = excluded.${column}`)
  .join(', ')

/**
 * Sums quarters of an hour: a week of them has a hundredth of the minutes' rows, and is as exact. One process at a time
 * does it, and reads the minutes after the one before it has written: otherwise an older sum could replace a newer one.
 */
async function sumQuarters(db: Database, since: Date, until: Date): Promise<void> {
  const quarter = (moment: string) => `date_bin('15 minutes', ${moment}, 'epoch')`
  const stepsOf = (column: string) =>
    `select begins_at, carrier, jsonb_object_agg(key, count) as steps from (
       select m.begins_at, m.carrier, s.key, sum(s.value::integer) as count
       from minutes m cross join lateral jsonb_each_text(m.${column}) s group by 1, 2, 3
     ) steps group by 1, 2`
  const sum = (trx: Database) =>
    trx.raw(
      `insert into traffic_counts (seconds, begins_at, carrier, accepted, received, sent, delivered, failed, unknown,
       events_delivered, attempts_failed, to_carrier, to_endpoint)
     with minutes as materialized (
       select ${quarter('c.begins_at')} as begins_at, c.carrier, c.accepted, c.received, c.sent, c.delivered, c.failed,
         c.unknown, c.events_delivered, c.attempts_failed, c.to_carrier, c.to_endpoint
       from traffic_counts c
       where c.seconds = 60 and c.begins_at >= ${quarter(':since::timestamptz')}
         and c.begins_at < ${quarter(`:until::timestamptz - interval '1 minute'`)} + interval '15 minutes'
     ), to_carrier as (${stepsOf('to_carrier')}), to_endpoint as (${stepsOf('to_endpoint')})
     select 900, begins_at, carrier, sum(accepted), sum(received), sum(sent), sum(delivered), sum(failed), sum(unknown),
       sum(events_delivered), sum(attempts_failed),
       coalesce((select steps from to_carrier c where c.begins_at = m.begins_at and c.carrier = m.carrier), '{}'),
       coalesce((select steps from to_endpoint e where e.begins_at = m.begins_at and e.carrier = m.carrier), '{}')
     from minutes m group by begins_at, carrier order by 2, 3
     on conflict (seconds, begins_at, carrier) do update set ${REPLACED}`,
      bindingsOf(since, until),
    )
  await transaction(db, async (trx) => {
    // In a statement of its own: a statement sees only what was committed before it began.
    await trx.raw(`select pg_advisory_xact_lock(hashtextextended('sums of quarters', 0))`)
    await sum(trx)
  })
}

function bindingsOf(since: Date, until: Date) {
  return { since: since.toISOString(), until: until.toISOString() }
}

/** Returns the minute that has just begun, by Postgres's clock. */
export async function findThisMinute(db: Database): Promise<Date> {
  const { rows } = await db.raw<{ rows: { minute: Date }[] }>(
    `select date_trunc('minute', clock_timestamp()) as minute`,
  )
  return only(rows).minute
}

/**
 * Finds the newest minute of the last seven days, since there are rows, that was not counted; undefined if there is
 * none.
 */
export async function findUncountedMinute(db: Database): Promise<Date | undefined> {
  const { rows } = await db.raw<{ rows: { minute: Date | null }[] }>(
    `with first as (
       select least((select created_at from messages order by id limit 1),
         (select started_at from delivery_attempts order by id limit 1)) as at
     )
     select max(g.minute) as minute from first, generate_series(
       greatest(date_trunc('minute', first.at), date_trunc('minute', now()) - interval '7 days'),
       date_trunc('minute', now()) - interval '1 minute', interval '1 minute') as g (minute)
     where first.at is not null
       and not exists (select from traffic_counts c where c.seconds = 60 and c.begins_at = g.minute)`,
  )
  return only(rows).minute ?? undefined
}

/** Finds the minute of the last hour that was counted longest ago, if that is this many seconds. */
export async function findStaleMinute(db: Database, seconds: number): Promise<Date | undefined> {
  const { rows } = await db.raw<{ rows: { minute: Date }[] }>(
    `select begins_at as minute from traffic_counts
     where seconds = 60 and begins_at >= date_trunc('minute', now()) - interval '1 hour'
       and counted_at < clock_timestamp() - make_interval(secs => ?)
     order by counted_at, begins_at limit 1`,
    [seconds],
  )
  return rows[0]?.minute
}

/** @returns the number of rows */
export async function deleteOldCounts(db: Database): Promise<number> {
  return db('traffic_counts')
    .whereIn('seconds', [60, 900])
    .where('begins_at', '<', db.raw(`now() - interval '8 days'`))
    .delete()
}
