import { listDeliveries } from '../../../../database/endpoints/deliveries/reading.js'
import type { Context } from '../../../../domain/context.js'
import { RELEASE_BATCH, sendHeldEvents } from '../../../../domain/endpoints/deliveries/held-events.js'
import { isMediaFailure } from '../../../../domain/media/failures.js'
import { explainFailure } from '../../endpoints/failures.js'
import { Form, Time } from '../../form.js'
import { EVENT_LABELS } from '../../messages/message/labels.js'
import { withNotice } from '../../notices.js'
import type { Act, Page } from '../../page.js'
import { PhoneNumber } from '../../messages/phone-number.js'
import { WORKS } from '../../operating/works.js'
import { endpointOf, endpointWithNotice } from './endpoint-paths.js'
import type { LineView } from './section.js'

export type HeldDelivery = Awaited<ReturnType<typeof listDeliveries>>[number]

/** They stand beside the button that sends them all; the page of activity has the others. */
const MAX_SHOWN = 20

/** Newest first, at most one more than is shown; only of this endpoint of the line. */
export async function findHeldEvents(
  context: Context,
  line: LineView['line'],
  endpointId: string,
): Promise<HeldDelivery[]> {
  const filter = { lineId: line.id, endpointId, status: 'held' }
  return listDeliveries(context.db, line.userId, filter, { limit: MAX_SHOWN + 1 })
}

export function HeldEvents(props: {
  page: Page
  /** Of the form that sends them. */
  action: string
  held: readonly HeldDelivery[]
  maySend: boolean
  /** The line's developer connection is enabled. */
  isConnected: boolean
}) {
  const { page, action, held, maySend, isConnected } = props
  return (
    <>
      <h3>Held events</h3>
      <p>
        They came while nothing could be posted to your server.
        {held.some(({ lastFailure }) => isMediaFailure(lastFailure)) &&
          ' Those without a copy of their media are not sent from here: sent again on their own page, they get one first.'}
        {held.length > MAX_SHOWN && ` Here are the newest ${MAX_SHOWN}; there are more.`}
      </p>
      <table class="rows">
        <thead>
          <tr>
            <th>Received</th>
            <th>From</th>
            <th>What</th>
            <th>Last failure</th>
          </tr>
        </thead>
        <tbody>
          {held.slice(0, MAX_SHOWN).map((each) => (
            <tr key={each.id}>
              <td data-label="Received">
                <MessageLink held={each} />
              </td>
              <td data-label="From">
                <PhoneNumber number={each.fromNumber} />
              </td>
              <td data-label="What">{EVENT_LABELS[each.type]}</td>
              <td data-label="Last failure">
                {each.lastFailure === null ? 'none' : explainFailure(each.lastFailure)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {maySend ? (
        <Form page={page} action={action} class="inline">
          <button type="submit">Send them</button>
        </Form>
      ) : (
        <p class="empty">
          They can be sent when the {isConnected ? 'URL' : 'developer connection'} is enabled again.
        </p>
      )}
    </>
  )
}

function MessageLink({ held: { messageId, createdAt } }: { held: HeldDelivery }) {
  const time = <Time at={createdAt} />
  return messageId === null ? time : <a href={`/console/messages/${messageId}`}>{time}</a>
}

/** Also of a further endpoint. */
export function postHeldEvents(context: Context): Act {
  return async (ctx) => {
    const asked = endpointOf(ctx)
    const count = await sendHeldEvents(context, asked.userId, asked.lineId, asked.furtherId)
    if (count > RELEASE_BATCH) return withNotice(WORKS, 'held-sent')
    return endpointWithNotice(asked, 'held-sent')
  }
}
