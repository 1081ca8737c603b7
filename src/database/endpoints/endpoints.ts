import type { Database } from '../connection.js'
import type { StoredPolicy } from './policy.js'
import type { OptInEventType } from './events.js'

/** Why an endpoint is disabled. The last one is not its server's fault: the user is disabled whose it is. */
export const DISABLED_REASONS = ['gone', 'failing', 'owner_disabled'] as const

export type DisabledReason = (typeof DISABLED_REASONS)[number]

export async function insertEndpoint(
  db: Database,
  endpoint: {
    id: string
    userId: string
    url: string
    secretSealed: Buffer
    /** Whose further endpoint it is. */
    lineId?: string
    name?: string | null
  },
): Promise<void> {
  await db('endpoints').insert({
    id: endpoint.id,
    user_id: endpoint.userId,
    line_id: endpoint.lineId ?? null,
    name: endpoint.name ?? null,
    url: endpoint.url,
    secret_sealed: endpoint.secretSealed,
  })
}

/** Nothing is delivered any more; what was held stays. */
export async function removeEndpointUrl(db: Database, id: string): Promise<void> {
  await db('endpoints').where({ id }).update({ removed_at: db.fn.now() })
}

/** A new URL starts with a clean health: what the old one did says nothing about it. */
export async function setEndpointUrl(db: Database, id: string, url: string): Promise<void> {
  await db('endpoints')
    .where({ id })
    .update({ url, removed_at: null, ...healthy })
}

export async function enableEndpoint(db: Database, id: string): Promise<void> {
  await db('endpoints').where({ id }).update(healthy)
}

/**
 * Of all lines and applications of the user, but for those that are disabled already. In the order in which
 * `settle_deliveries` locks them.
 *
 * @returns how many
 */
export async function stopEndpointsOf(db: Database, userId: string): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update endpoints set disabled_at = now(), disabled_reason = 'owner_disabled'
     where id = any (array(select id from endpoints where user_id = ? and disabled_at is null
       order by id for no key update))`,
    [userId],
  )
  return rowCount
}

/** @returns how many */
export async function restartEndpointsOf(db: Database, userId: string): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `update endpoints set disabled_at = null, disabled_reason = null
     where id = any (array(select id from endpoints where user_id = ? and disabled_reason = 'owner_disabled'
       order by id for no key update))`,
    [userId],
  )
  return rowCount
}

/** Which events it gets besides those that every endpoint gets. */
export async function setOptInEvents(
  db: Database,
  id: string,
  types: readonly OptInEventType[],
): Promise<void> {
  await db('endpoints')
    .where({ id })
    .update({ opt_in_events: [...types] })
}

export async function findSealedSecret(db: Database, id: string): Promise<Buffer | undefined> {
  const row = await db('endpoints')
    .where({ id })
    .first<{ sealed: Buffer } | undefined>({ sealed: 'secret_sealed' })
  return row?.sealed
}

/** All that a POST to an endpoint needs. */
export interface EndpointToCall {
  url: string
  secretSealed: Buffer
  /** Only while a rotation's overlap lasts. */
  previousSecretSealed: Buffer | null
  policy: StoredPolicy
  /** null: it has none. */
  headersSealed: Buffer | null
}

export async function findEndpoint(db: Database, id: string): Promise<EndpointToCall | undefined> {
  const row: EndpointToCall | undefined = await db('endpoints')
    .where({ id })
    .first({
      url: 'url',
      secretSealed: 'secret_sealed',
      previousSecretSealed: db.raw('case when previous_secret_until > now() then previous_secret_sealed end'),
      policy: 'policy',
      headersSealed: 'headers_sealed',
    })
  return row
}

export async function replaceSecret(
  db: Database,
  id: string,
  secretSealed: Buffer,
  overlapSeconds: number,
): Promise<void> {
  await db('endpoints')
    .where({ id })
    .update({
      previous_secret_sealed: db.ref('secret_sealed'),
      previous_secret_until: db.raw('now() + make_interval(secs => ?)', [overlapSeconds]),
      secret_sealed: secretSealed,
    })
}

/** As if it had never been called. */
const healthy = {
  called_at: null,
  failing_since: null,
  consecutive_failure_count: 0,
  disabled_at: null,
  disabled_reason: null,
}

/** Endpoints with a URL that have only failed for a while, and those that get nothing any more because of it. */
export async function countUnhealthyEndpoints(db: Database): Promise<{ failing: number; disabled: number }> {
  const { rows } = await db.raw<{ rows: { failing: number; disabled: number }[] }>(
    `select count(*) filter (where disabled_at is null and failing_since is not null)::integer as failing,
       count(*) filter (where disabled_at is not null)::integer as disabled
     from endpoints where removed_at is null and disabled_reason is distinct from 'owner_disabled'`,
  )
  return rows[0] ?? { failing: 0, disabled: 0 }
}
