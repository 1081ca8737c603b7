import type { Database } from '../../../database/connection.js'
import {
  listHoldingEndpoints,
  listTroubledEndpoints,
  type HoldingEndpoint as HoldingRow,
  type TroubledEndpoint as TroubledRow,
  type TroubledGroup,
} from '../../../database/operating/overview/endpoints.js'

/** Only the host is shown, because the rest of a URL may be a secret of its owner. */
type WithHost<Row> = Omit<Row, 'url'> & { host: string }

export type TroubledEndpoint = WithHost<TroubledRow>
export type HoldingEndpoint = WithHost<HoldingRow>

export interface EndpointTroubles {
  /** The worst ones. */
  endpoints: TroubledEndpoint[]
  groups: TroubledGroup[]
  disabledCount: number
  failingCount: number
}

export async function findTroubles(db: Database): Promise<EndpointTroubles> {
  const { endpoints, groups } = await listTroubledEndpoints(db)
  const countOf = (isDisabled: boolean) =>
    groups
      .filter(({ disabledReason }) => (disabledReason !== null) === isDisabled)
      .reduce((sum, { count }) => sum + count, 0)
  return {
    endpoints: endpoints.map(withHost),
    groups,
    disabledCount: countOf(true),
    failingCount: countOf(false),
  }
}

export async function findHolding(db: Database): Promise<HoldingEndpoint[]> {
  return (await listHoldingEndpoints(db)).map(withHost)
}

export function withHost<Row extends { url: string }>({ url, ...rest }: Row): WithHost<Row> {
  return { ...rest, host: URL.canParse(url) ? new URL(url).host : 'an unreadable URL' }
}
