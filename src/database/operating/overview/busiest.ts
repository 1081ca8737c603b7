import type { Database } from '../../connection.js'
import { lookedBackTo, newestOfUser } from './own-traffic.js'

export const DIMENSIONS = ['user', 'line', 'carrier', 'endpoint'] as const
/** The dimensions by which traffic is split. */
export type Dimension = (typeof DIMENSIONS)[number]

/** A user, a line, a carrier account or an endpoint, with its traffic. For an endpoint, that is events. */
export interface Busy {
  id: string
  name: string
  /** A line's number, unless it is the name. */
  number: string | null
  /** The owner's id; null for a carrier account. */
  userId: string | null
  ownerEmail: string | null
  /** For messages, those to people and from people. For events, all and none. */
  outCount: number
  inCount: number
  failedCount: number
  /** The counts by bin; 0 is the oldest. */
  bins: { bin: number; count: number; failed: number }[]
}

export interface Busiest {
  rows: Busy[]
  /**
   * Rows of the span that are older than this were not counted, at least on one of a user's own lines; null if all were
   * counted.
   */
  lookedBackTo: Date | null
}

/** Each row also says how far back its counts reach. */
type Looked = Busy & Pick<Busiest, 'lookedBackTo'>

/** The number of newest rows that are counted, whatever the span. */
const MAX_ROWS = 50_000
const SHOWN = 8

const SINCE = 'now() - make_interval(secs => :seconds)'

/** A message with an unknown outcome has not failed: it has its own figure, and its own status in every list. */
const OF_MESSAGES = `line_id, coalesce(carrier, '') as carrier, direction = 'inbound' as is_in, status = 'failed' as has_failed, created_at`
const MESSAGES = `select ${OF_MESSAGES}
  from messages where id >= lowest_id_at(${SINCE}) order by id desc limit ${MAX_ROWS}`

const OF_DELIVERIES = `endpoint_id, false as is_in, last_failure is not null and status <> 'delivered' as has_failed, created_at`
const DELIVERIES = `select ${OF_DELIVERIES} from deliveries where id >= lowest_id_at(${SINCE}) order by id desc limit ${MAX_ROWS}`

/** The rows, the key that they are grouped by, and the name of a group. */
const OF: Record<Dimension, { rows: string; key: string; named: string }> = {
  user: {
    rows: MESSAGES,
    key: 'l.user_id::text from recent r join lines l on l.id = r.line_id',
    named: `select u.id::text as id, u.email as name, null as number, u.id as "userId", u.email as "ownerEmail" from users u where u.id::text = b.key`,
  },
  line: {
    rows: MESSAGES,
    key: 'r.line_id::text from recent r',
    named: `select l.id::text as id, l.name, nullif(l.number, l.name) as number,
      l.user_id as "userId", u.email as "ownerEmail" from lines l join users u on u.id = l.user_id where l.id::text = b.key`,
  },
  carrier: {
    rows: MESSAGES,
    key: `coalesce(nullif(r.carrier, ''), l.carrier) from recent r join lines l on l.id = r.line_id`,
    named: `select a.id::text as id, a.name, null as number, null::uuid as "userId", null as "ownerEmail" from carrier_accounts a where a.name = b.key`,
  },
  endpoint: {
    rows: DELIVERIES,
    key: 'r.endpoint_id::text from recent r',
    named: `select e.id::text as id, coalesce(e.name, substring(e.url from '^[a-z]+://([^/]+)')) as name, null as number, e.user_id as "userId",
      u.email as "ownerEmail" from endpoints e join users u on u.id = e.user_id where e.id::text = b.key`,
  },
}

/**
 * Lists those with the most of the newest messages, or events, of a span.
 *
 * @param span.userId only on this user's lines
 */
export async function listBusiest(
  db: Database,
  by: Dimension,
  { seconds, binSeconds, userId }: { seconds: number; binSeconds: number; userId?: string },
): Promise<Busiest> {
  const { rows: ofAll, key, named } = OF[by]
  const ofUser =
    by === 'endpoint'
      ? newestOfUser('deliveries', OF_DELIVERIES, SINCE)
      : newestOfUser('messages', OF_MESSAGES, SINCE)
  const rows = userId === undefined ? ofAll : ofUser
  const end =
    userId === undefined
      ? `(select min(created_at) from recent having count(*) >= ${MAX_ROWS})`
      : lookedBackTo('recent')
  const [key0 = '', from = ''] = key.split(' from ')
  const { rows: found } = await db.raw<{ rows: Looked[] }>(
    `with recent as materialized (${rows}), binned as (
       select ${key0} as key, greatest(0, :lastBin - floor(extract(epoch from now() - r.created_at) / :binSeconds)::integer) as bin,
         count(*) filter (where not r.is_in)::integer as went, count(*) filter (where r.is_in)::integer as came,
         count(*) filter (where r.has_failed)::integer as failed
       from ${from} group by 1, 2
     ), busiest as (
       select key, sum(went)::integer as went, sum(came)::integer as came, sum(failed)::integer as failed,
         jsonb_agg(jsonb_build_object('bin', bin, 'count', went + came, 'failed', failed) order by bin) as bins
       from binned group by 1 order by sum(went + came) desc, 1 limit ${SHOWN}
     )
     select n.*, b.went as "outCount", b.came as "inCount", b.failed as "failedCount", b.bins, ${end} as "lookedBackTo"
     from busiest b cross join lateral (${named}) n order by b.went + b.came desc, n.id`,
    {
      seconds,
      binSeconds,
      ...(userId === undefined ? {} : { userId }),
      lastBin: Math.ceil(seconds / binSeconds) - 1,
    },
  )
  return { rows: found, lookedBackTo: found[0]?.lookedBackTo ?? null }
}
