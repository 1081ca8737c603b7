import { MAX_COUNTED } from '../../../../domain/endpoints/deliveries/endpoint-work.js'
import type { EndpointTroubles, TroubledEndpoint } from '../../../../domain/operating/overview/endpoints.js'
import { countOf, describeCount } from '../../../../domain/operating/overview/figures.js'
import { cureOf } from '../../../../domain/operating/overview/needs.js'
import { badgeOfEndpoint } from '../../../../domain/operating/causes.js'
import { Time } from '../../form.js'
import { Table } from '../../parts/table.js'
import { UserText } from '../../user-text.js'
import { CureLink } from './cure-link.js'

export function Endpoints({ troubles, userId }: { troubles: EndpointTroubles; userId: string }) {
  const { endpoints, disabledCount, failingCount } = troubles
  if (endpoints.length === 0) return <p class="muted">Every endpoint is accepting events.</p>
  return (
    <>
      <p>
        {[
          ...(disabledCount === 0
            ? []
            : [`${countOf(disabledCount, 'endpoint is', 'endpoints are')} disabled.`]),
          ...(failingCount === 0
            ? []
            : [`${countOf(failingCount, 'endpoint is', 'endpoints are')} failing.`]),
        ].join(' ')}
      </p>
      <Table
        rows={endpoints}
        columns={{
          Endpoint: (endpoint) => (
            <span>
              <NameOf endpoint={endpoint} />
              <span class="muted">{endpoint.host}</span>
            </span>
          ),
          State: (endpoint) => <State endpoint={endpoint} />,
          Waiting: waiting,
        }}
        looks={{ Waiting: 'r' }}
        acts={(endpoint) => <CureLink cure={cureOf(endpoint)} userId={userId} />}
      />
    </>
  )
}

/** The account's own endpoints have no name but their host. */
function NameOf({ endpoint: { lineName, applicationName } }: { endpoint: TroubledEndpoint }) {
  const name = lineName ?? applicationName
  if (name === null) return null
  return (
    <>
      <strong>
        <UserText>{name}</UserText>
      </strong>{' '}
    </>
  )
}

function Badge({ endpoint }: { endpoint: TroubledEndpoint }) {
  const { mood, code } = badgeOfEndpoint({ ...endpoint, calledAt: endpoint.failingSince, pausedAt: null })
  return <span class={`badge ${mood}`}>{code}</span>
}

function State({ endpoint }: { endpoint: TroubledEndpoint }) {
  const { disabledAt, failingSince, consecutiveFailureCount } = endpoint
  if (disabledAt !== null) {
    return (
      <span>
        <Badge endpoint={endpoint} /> since <Time at={disabledAt} />
      </span>
    )
  }
  if (failingSince !== null) {
    return (
      <span>
        <Badge endpoint={endpoint} /> {countOf(consecutiveFailureCount, 'time')} in a row, since{' '}
        <Time at={failingSince} />
      </span>
    )
  }
  return (
    <span>
      <span class="badge waiting">slow</span> It timed out or returned 429 or 5xx, so it gets fewer events at
      a time.
    </span>
  )
}

function waiting({ waitingCount, heldCount }: TroubledEndpoint): string {
  const words = (count: number) =>
    count > MAX_COUNTED ? `more than ${describeCount(MAX_COUNTED)}` : describeCount(count)
  return heldCount === 0 ? words(waitingCount) : `${words(waitingCount)}, and ${words(heldCount)} held`
}
