import type { DeliveryAttempt } from '../../../../database/endpoints/deliveries/delivery.js'
import type { DeliveryWithAttempts } from '../../../../domain/endpoints/deliveries/delivery-history.js'
import { isMediaFailure } from '../../../../domain/media/failures.js'
import { applicationPath } from '../../applications/application/page-model.js'
import { DISABLED_WORDS } from '../../endpoints/health.js'
import { explainFailure } from '../../endpoints/failures.js'
import { ActButton, Time } from '../../form.js'
import { PageLink } from '../../portal/page-link.js'
import { Status } from '../../status.js'
import { Attempt, shownUrl } from './attempt.js'
import { JobLink } from './job-link.js'
import type { MessageView } from './page-model.js'
import { messagePath } from './path.js'
import { deliverAgainPath, deliverNowPath, mayDeliverAgain, mayTryDeliveryNow } from './send-again.js'
import { Step } from './step.js'

/** Shows one endpoint that the event goes to, with every attempt. */
export function DeliveryHistory({ view, delivery }: { view: MessageView; delivery: DeliveryWithAttempts }) {
  const { page, message, isOwner } = view
  const { id, applicationId, applicationName, status, attempts, deliveredAt, isForeign } = delivery
  const { endpointDisabledAt, endpointDisabledReason, isReplayed } = delivery
  const title = (
    <>
      Delivery to{' '}
      {applicationName !== null && (
        <>
          <strong dir="auto">
            {isOwner && !isForeign && applicationId !== null ? (
              <PageLink page={page} href={applicationPath(applicationId)}>
                {applicationName}
              </PageLink>
            ) : (
              applicationName
            )}
          </strong>{' '}
        </>
      )}
      <code>{shownUrl(view, delivery)}</code> <Status status={status} />
      {isReplayed && (
        <>
          {' '}
          <span class="badge">replayed</span>
        </>
      )}
    </>
  )
  return (
    <Step title={title} at={deliveredAt} {...(status === 'exhausted' ? { mood: 'bad' } : {})}>
      <p>{stateWords(delivery)}</p>
      {status === 'pending' && <PendingWords view={view} delivery={delivery} />}
      {status === 'held' && !isForeign && endpointDisabledAt !== null && (
        <p class="fault">
          The URL has been disabled since <Time at={endpointDisabledAt} />:{' '}
          {DISABLED_WORDS[endpointDisabledReason ?? 'failing']}
        </p>
      )}
      {(status === 'pending' || status === 'delivering') && (
        <JobLink page={page} queue="deliver-event" row={delivery} />
      )}
      {attempts.length > 0 && (
        <ol class="attempts">
          {groupAlike(attempts).map((alike) => (
            <Attempts key={alike[0]?.id} view={view} delivery={delivery} alike={alike} />
          ))}
        </ol>
      )}
      {isOwner && mayTryDeliveryNow(delivery) && (
        <ActButton page={page} action={deliverNowPath(message.id, id)} label="Retry now" look="secondary" />
      )}
      {isOwner && mayDeliverAgain(delivery) && (
        <ActButton
          page={page}
          action={deliverAgainPath(message.id, id)}
          label="Retry"
          look={status === 'delivered' ? 'secondary' : undefined}
        />
      )}
    </Step>
  )
}

/** Describes what comes before its next attempt. */
function PendingWords({ view, delivery }: { view: MessageView; delivery: DeliveryWithAttempts }) {
  const { dueAt, endpointPausedAt, endpointFailingSince, isForeign } = delivery
  const {
    fullPlaces = null,
    earlierEventId = null,
    earlierMessageId = null,
  } = view.waits.get(delivery.id) ?? {}
  if (endpointPausedAt !== null) {
    return (
      <p class="fault">
        Events to this URL have been paused since <Time at={endpointPausedAt} />. This one is sent when they
        resume.
      </p>
    )
  }
  return (
    <>
      {earlierEventId !== null && (
        <p>
          Waiting for{' '}
          {view.isOwner && earlierMessageId !== null ? (
            <a href={messagePath(earlierMessageId)}>an earlier event from this number</a>
          ) : (
            'an earlier event from this number'
          )}
          , because this endpoint gets events in order.
        </p>
      )}
      {fullPlaces !== null && !isForeign && (
        <p>
          The endpoint already has {fullPlaces === 1 ? 'one request' : `${fullPlaces} requests`} in progress,
          which is its limit.
        </p>
      )}
      <p>
        Next attempt: <Time at={dueAt} />
      </p>
      {endpointFailingSince !== null && !isForeign && (
        <p>
          This URL has been failing since <Time at={endpointFailingSince} />.
        </p>
      )}
    </>
  )
}

/** The reasons for which a delivery is over although its retry schedule is not. */
const TOLD_AT_ONCE = new Set(['disconnected', 'stopped_by_receiver', 'template_failed'])

function stateWords(delivery: DeliveryWithAttempts): string {
  const { status, attemptCount, lastFailure, applicationId, hasReceiver } = delivery
  switch (status) {
    case 'pending':
      if (lastFailure === 'earlier_event_waits') return explainFailure(lastFailure)
      return attemptCount === 0 ? 'Waiting for its first attempt.' : 'Waiting for its next attempt.'
    case 'delivering':
      return 'Attempt in progress.'
    case 'delivered':
      return 'The server accepted the event.'
    case 'exhausted': {
      const more = hasReceiver ? ' You can still retry it.' : ` ${explainFailure('disconnected')}`
      if (lastFailure !== null && TOLD_AT_ONCE.has(lastFailure)) return explainFailure(lastFailure)
      if (lastFailure === 'timeout') {
        return `The attempt timed out, and retries after a timeout are turned off for this endpoint.${more}`
      }
      return `All attempts failed.${more}`
    }
    case 'held':
      if (isMediaFailure(lastFailure)) {
        return `Held: its media could not be copied. ${explainFailure(lastFailure)}`
      }
      if (lastFailure === 'line_disabled') return 'Held while the line is disabled.'
      if (applicationId !== null) return "Held while the application's webhook URL is disabled."
      return 'Held while the endpoint is disabled or the developer connection is off.'
  }
}

/** From this many equal ones in a row on, they are folded into one line. */
const MANY = 3

function groupAlike(attempts: readonly DeliveryAttempt[]): DeliveryAttempt[][] {
  const groups: DeliveryAttempt[][] = []
  for (const attempt of attempts) {
    const group = groups.at(-1)
    const [first] = group ?? []
    const isAlike = first?.failure === attempt.failure && first.responseStatus === attempt.responseStatus
    if (group !== undefined && isAlike) group.push(attempt)
    else groups.push([attempt])
  }
  return groups.flatMap((group) => (group.length < MANY ? group.map((attempt) => [attempt]) : [group]))
}

function Attempts(props: {
  view: MessageView
  delivery: DeliveryWithAttempts
  alike: readonly DeliveryAttempt[]
}) {
  const { view, delivery, alike } = props
  const [first, last] = [alike[0], alike.at(-1)]
  if (first === undefined || last === undefined) return null
  if (first === last) return <Attempt view={view} delivery={delivery} attempt={first} />
  const what =
    first.responseStatus === null ? (first.failure ?? 'response') : `status ${first.responseStatus}`
  return (
    <li>
      <details open={alike.some(({ id }) => id === view.opened?.id)}>
        <summary>
          <strong>
            {alike.length} × {what}
          </strong>{' '}
          <span class="muted">
            attempts {first.attemptNumber} to {last.attemptNumber}
            {last.nextAttemptAt !== null && (
              <>
                , next <Time at={last.nextAttemptAt} />
              </>
            )}
          </span>
        </summary>
        <ol class="attempts">
          {alike.map((attempt) => (
            <Attempt key={attempt.id} view={view} delivery={delivery} attempt={attempt} />
          ))}
        </ol>
      </details>
    </li>
  )
}
