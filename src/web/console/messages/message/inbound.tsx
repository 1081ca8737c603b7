import type { MediaStatus } from '../../../../states.js'
import { Empty } from '../../form.js'
import { sectionPath } from '../../lines/line/section.js'
import { ShortId } from '../../short-id.js'
import { DeliveryWay } from './delivery.js'
import { ListenerWay } from './listeners.js'
import type { MessageView } from './page-model.js'
import { Replays } from './replays.js'
import { Step } from './step.js'

const COPY_WORDS: Record<MediaStatus, string> = {
  pending: 'Copying media; the event waits until this is done',
  fetching: 'Copying media; the event waits until this is done',
  stored: 'Media copied',
  failed: 'Media could not be copied, so the event is held',
}

/** Received, made an event, and where that went. */
export function InboundWay(view: MessageView) {
  const { message, line, event, isOwner } = view
  const isOver = message.media === null || ['stored', 'failed'].includes(message.media.status)
  return (
    <>
      <h2>Timeline</h2>
      <ol class="way">
        <Step title="Received from the carrier" at={message.createdAt}>
          {message.carrierMessageId !== null && (
            <p>
              Carrier message ID: <ShortId id={message.carrierMessageId} what="the carrier’s id" />
            </p>
          )}
        </Step>
        {event !== undefined && (
          <Step title="Event created" at={event.createdAt}>
            <p>
              <code>{event.type}</code>, <code>webhook-id</code>{' '}
              <ShortId id={event.id} what="the webhook-id" />
            </p>
          </Step>
        )}
        {message.media !== null && <Step title={COPY_WORDS[message.media.status]} />}
        {event?.deliveries.map((delivery) => (
          <DeliveryWay key={delivery.id} view={view} delivery={delivery} />
        ))}
        <Replays replays={view.replays} />
        {event !== undefined && <ListenerWay event={event} />}
      </ol>
      {isOver && (event?.deliveries.length ?? 0) === 0 && (
        <Empty>
          {event === undefined
            ? 'This message has no event. Either the number was blocked when it arrived, or the event has been deleted because of its age.'
            : 'This event went nowhere. When it arrived, the line had no outgoing webhook URL, or the line or its developer connection was off.'}{' '}
          {isOwner && event !== undefined && (
            <>
              <a href={sectionPath(line.id, 'outgoing-webhook')}>Set a URL</a> to receive the next one.
            </>
          )}
        </Empty>
      )}
    </>
  )
}
