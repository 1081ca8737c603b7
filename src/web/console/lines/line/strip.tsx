import type { ComponentChildren } from 'preact'
import { MAX_COUNTED } from '../../../../domain/endpoints/deliveries/endpoint-work.js'
import { EndpointState, OnOff } from '../../endpoints/state.js'
import { sectionPath, type LineView } from './section.js'

/** How the line does, in five cards, each with the way to its section. */
export function Strip({ view: { line, connection, work, limits } }: { view: LineView }) {
  const { heldCount = 0, calledAt = null } = work ?? {}
  return (
    <ul class="strip" aria-label="How it does">
      <Card to={sectionPath(line.id, 'connection')} title="Connection">
        <OnOff isOn={connection.enabled} />
      </Card>
      <Card to={sectionPath(line.id, 'incoming-webhook')} title="Incoming webhook">
        <OnOff isOn={connection.incomingWebhook !== null} />
      </Card>
      <Card to={sectionPath(line.id, 'outgoing-webhook')} title="Endpoint">
        <EndpointState endpoint={connection.endpoint && { ...connection.endpoint, calledAt }} />
      </Card>
      <Card to={sectionPath(line.id, 'outgoing-webhook')} title="Held">
        <strong>{heldCount > MAX_COUNTED ? `${MAX_COUNTED}+` : heldCount}</strong>{' '}
        {heldCount === 1 ? 'event' : 'events'}
      </Card>
      <Card to={sectionPath(line.id, 'limits')} title="Limit">
        <strong>
          {limits.line.used} of {limits.line.limit}
        </strong>{' '}
        in 60 s
      </Card>
    </ul>
  )
}

function Card(props: { to: string; title: string; children: ComponentChildren }) {
  return (
    <li>
      <a href={props.to}>{props.title}</a>
      <span>{props.children}</span>
    </li>
  )
}
