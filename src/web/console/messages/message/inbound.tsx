import { Fragment } from 'preact'
import type { MediaStatus } from '../../../../states.js'
import { ActButton, Empty, Time } from '../../form.js'
import { sectionPath } from '../../lines/line/section.js'
import { ShortId } from '../../short-id.js'
import { DeliveryHistory } from './delivery.js'
import { ListenerHistory } from './listeners.js'
import type { MessageView } from './page-model.js'
import { Replays } from './replays.js'
import { messagePath } from './path.js'
import { isLate, mayTryMessageNow } from './send-again.js'
import { Step } from './step.js'

const COPY_WORDS: Record<MediaStatus, string> = {
  pending: 'Copying media; the event waits until this is done',
  fetching: 'Copying media; the event waits until this is done',
  stored: 'Media copied',
  failed: 'Media could not be copied, so the event is held',
}

/** Shows how it was received, its events (one for the text, and one for each of the media), and where those went. */
export function InboundHistory(view: MessageView) {
  const { page, message, line, events, isOwner } = view
  const { media } = message
  const isOver = media.every(({ status }) => ['stored', 'failed'].includes(status))
  const deliveryCount = events.reduce((sum, { deliveries }) => sum + deliveries.length, 0)
  return (
    <>
      <h2>Timeline</h2>
      <ol class="way">
        <Step title="Received from the carrier" at={message.createdAt}>
          {message.carrierMessageId !== null && (
            <p>
              Carrier message ID: <ShortId id={message.carrierMessageId} what="the carrier's id" />
            </p>
          )}
        </Step>
        {media.map(({ token, status, failure, dueAt }, n) => (
          <Step
            key={token}
            title={COPY_WORDS[status] + (media.length > 1 ? ` (${n + 1} of ${media.length})` : '')}
          >
            {isLate({ status, failure }) && (
              <p>
                Next attempt: <Time at={new Date(dueAt)} />
              </p>
            )}
            {n === media.findIndex(isLate) && isOwner && mayTryMessageNow(view) && (
              <ActButton
                page={page}
                action={`${messagePath(message.id)}/try-now`}
                label="Retry now"
                look="secondary"
              />
            )}
          </Step>
        ))}
        {events.map((event) => (
          <Fragment key={event.id}>
            <Step title="Event created" at={event.createdAt}>
              <p>
                <code>{event.type}</code>, <code>webhook-id</code>{' '}
                <ShortId id={event.id} what="the webhook-id" />
              </p>
            </Step>
            {event.deliveries.map((delivery) => (
              <DeliveryHistory key={delivery.id} view={view} delivery={delivery} />
            ))}
            <Replays view={view} replays={event.replays} />
            <ListenerHistory event={event} />
          </Fragment>
        ))}
      </ol>
      {isOver && deliveryCount === 0 && (
        <Empty>
          {events.length === 0
            ? 'This message has no event. Either the number was blocked when it arrived, or the event has been deleted because of its age.'
            : 'This event was not sent anywhere. When it arrived, the line had no outgoing webhook URL, or the line or its developer connection was off.'}{' '}
          {isOwner && events.length > 0 && (
            <>
              <a href={sectionPath(line.id, 'outgoing-webhook')}>Set a URL</a> to receive the next one.
            </>
          )}
        </Empty>
      )}
    </>
  )
}
