import type { ComponentChildren } from 'preact'
import { MAX_COUNTED } from '../../../domain/deliveries/endpoint-work.js'
import { EndpointState, OnOff } from '../endpoint/state.js'
import type { EndpointNow } from './endpoint.js'
import type { loadLimits } from './limits.js'
import type { LineView, SectionId } from './section.js'

/** How the line does, in five cards, each with the way to its section. */
export function Strip(props: {
  view: LineView
  endpoint: EndpointNow | undefined
  limits: Awaited<ReturnType<typeof loadLimits>>
}) {
  const { view, endpoint, limits } = props
  const { connection } = view
  const { heldCount = 0, calledAt = null } = endpoint?.work ?? {}
  return (
    <ul class="strip" aria-label="How it does">
      <Card to="connection" title="Connection">
        <OnOff isOn={connection.enabled} />
      </Card>
      <Card to="incoming-webhook" title="Incoming webhook">
        <OnOff isOn={connection.incomingWebhook !== null} />
      </Card>
      <Card to="outgoing-webhook" title="Endpoint">
        <EndpointState endpoint={connection.endpoint && { ...connection.endpoint, calledAt }} />
      </Card>
      <Card to="outgoing-webhook" title="Held">
        <strong>{heldCount > MAX_COUNTED ? `${MAX_COUNTED}+` : heldCount}</strong>{' '}
        {heldCount === 1 ? 'event' : 'events'}
      </Card>
      <Card to="limits" title="Limit">
        <strong>
          {limits.line.used} of {limits.line.limit}
        </strong>{' '}
        in 60 s
      </Card>
    </ul>
  )
}

function Card(props: { to: SectionId; title: string; children: ComponentChildren }) {
  return (
    <li>
      <a href={`#${props.to}`}>{props.title}</a>
      <span>{props.children}</span>
    </li>
  )
}
