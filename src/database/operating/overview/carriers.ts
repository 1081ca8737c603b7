import type { CarrierReason } from '../../../carrier-reasons.js'
import type { Database } from '../../connection.js'
import { MAX_WAITING } from './queues.js'

/** The traffic of an account, by its name. */
export interface CarrierTraffic {
  carrier: string
  /** Messages that the carrier has asked us to hold back. */
  throttledCount: number
  /** Messages for which the carrier could not be reached. */
  unreachedCount: number
  /** Messages that were handed over in the last 15 minutes. */
  handedOverCount: number
  failedCount: number
  unknownCount: number
  lastError: string | null
  lastErrorCode: string | null
  /** The meaning that was stored with the code. */
  lastErrorReason: CarrierReason | null
  lastErrorAt: Date | null
}

/** The last error is the newest of the last day that has been counted. */
export async function readCarrierTraffic(db: Database): Promise<CarrierTraffic[]> {
  const { rows } = await db.raw<{ rows: CarrierTraffic[] }>(
    `with waiting as (
       select l.carrier, count(*) filter (where m.error = 'throttled') as throttled,
         count(*) filter (where m.error = 'carrier_unavailable') as unreached
       from (select line_id, error from messages where status = 'queued' limit ${MAX_WAITING}) m
       join lines l on l.id = m.line_id where m.error is not null group by 1
     ), recent as (
       select carrier, sum(sent + failed + unknown) as handed_over, sum(failed) as failed, sum(unknown) as unknown
       from traffic_counts where seconds = 60 and begins_at > now() - interval '15 minutes' group by 1
     ), failures as (
       select distinct on (carrier) carrier, last_error, last_error_code, last_error_reason, last_error_at
       from traffic_counts where seconds = 60 and begins_at > now() - interval '1 day' and last_error_at is not null
       order by carrier, begins_at desc
     )
     select c.carrier, coalesce(w.throttled, 0)::integer as "throttledCount",
       coalesce(w.unreached, 0)::integer as "unreachedCount", coalesce(r.handed_over, 0)::integer as "handedOverCount",
       coalesce(r.failed, 0)::integer as "failedCount", coalesce(r.unknown, 0)::integer as "unknownCount",
       f.last_error as "lastError", f.last_error_code as "lastErrorCode",
       f.last_error_reason as "lastErrorReason", f.last_error_at as "lastErrorAt"
     from (select name as carrier from carrier_accounts) c
     left join waiting w on w.carrier = c.carrier
     left join recent r on r.carrier = c.carrier
     left join failures f on f.carrier = c.carrier`,
  )
  return rows
}
