import { EVENT_TYPES } from '../../../event-types.js'
import type { listDeliveries } from '../../../database/endpoints/deliveries/reading.js'
import { isMediaFailure } from '../../../domain/media/failures.js'
import { explainFailure } from './failures.js'
import { ActButton, Time } from '../form.js'
import type { Page } from '../page.js'
import { messagePath } from '../messages/message/path.js'
import { PhoneNumber } from '../messages/phone-number.js'
import { Table } from '../parts/table.js'

export type HeldDelivery = Awaited<ReturnType<typeof listDeliveries>>[number]

/** These are beside the button that sends them all; the activity page has the others. */
export const MAX_SHOWN = 20

export function HeldEvents(props: {
  page: Page
  /** The action of the form that sends them. */
  action: string
  held: readonly HeldDelivery[]
  maySend: boolean
  /** True if the line's developer connection is enabled. */
  isConnected: boolean
}) {
  const { page, action, held, maySend, isConnected } = props
  return (
    <>
      <h2 id="held">Held events</h2>
      <p>
        These events arrived while nothing could be sent to your server.
        {held.some(({ lastFailure }) => isMediaFailure(lastFailure)) &&
          ' Events with media that have not been copied are not sent from here. Resend each one from its own page, which copies its media first.'}
        {held.length > MAX_SHOWN && ` Only the newest ${MAX_SHOWN} are shown.`}
      </p>
      {held.length > 0 && (
        <Table
          rows={held.slice(0, MAX_SHOWN)}
          hasDrawer
          columns={{
            Received: ({ messageId, createdAt: at }) =>
              messageId === null ? (
                <Time at={at} />
              ) : (
                <a href={messagePath(messageId)}>
                  <Time at={at} />
                </a>
              ),
            From: ({ fromNumber }) => fromNumber !== null && <PhoneNumber number={fromNumber} />,
            Event: ({ type }) => EVENT_TYPES[type].label,
            'Last failure': ({ lastFailure }) =>
              lastFailure === null ? 'None' : explainFailure(lastFailure),
          }}
        />
      )}
      {maySend ? (
        <ActButton page={page} action={action} label="Send held events" />
      ) : (
        <p class="empty">To send them, enable the {isConnected ? 'URL' : 'developer connection'} first.</p>
      )}
    </>
  )
}
