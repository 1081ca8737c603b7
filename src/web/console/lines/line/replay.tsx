import type { LineEndpoint } from '../../../../domain/endpoints/line-endpoints.js'
import { withHost } from '../../../../domain/operating/overview/endpoints.js'
import type { Missed } from '../../../../domain/endpoints/deliveries/replay.js'
import { Replay, type CountedReplay } from '../../endpoints/replay.js'
import { Section, type LineView } from './section.js'

const ID = 'replay'

/** What the line's own endpoint got, or did not get, goes out again. */
export function LineReplay(props: {
  view: LineView
  missed: Missed | undefined
  counted: CountedReplay | undefined
  further: readonly LineEndpoint[]
}) {
  const { view, missed, counted, further } = props
  const action = `${view.path}/${ID}`
  const isPossible = view.connection.enabled && (view.endpointId !== null || further.length > 0)
  return (
    <Section
      view={view}
      id={ID}
      title="Replay"
      offers={isPossible ? [action] : []}
      isAnswer={counted !== undefined}
    >
      {isPossible ? (
        <Replay
          {...{ action, missed, counted }}
          page={view.page}
          further={further.map((endpoint) => [endpoint.id, endpoint.name ?? withHost(endpoint).host])}
        />
      ) : (
        <p class="empty">Events can be sent again once the line has an outgoing webhook URL that is on.</p>
      )}
    </Section>
  )
}
