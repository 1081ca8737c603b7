import type { DisabledReason } from '../../../database/endpoints/endpoints.js'
import { MAX_COUNTED, type EndpointWork } from '../../../domain/endpoints/deliveries/endpoint-work.js'
import { countOf } from '../../../domain/operating/overview/figures.js'
import { ActButton, Time } from '../form.js'
import { explainFailure } from './failures.js'
import type { Page } from '../page.js'

export const DISABLED_WORDS: Record<DisabledReason, string> = {
  gone: 'the server returned 410 Gone.',
  failing: 'no event succeeded for 5 days.',
  owner_disabled: "its owner's account was disabled.",
}

export interface EndpointHealth extends EndpointWork {
  failingSince: Date | null
  consecutiveFailureCount: number
  disabledAt: Date | null
  disabledReason: DisabledReason | null
}

/**
 * Shows an endpoint's health, by the events that were sent to it, and those that still have to be.
 *
 * @param props.enableAction the action of the form that enables it again
 * @param props.activityPath the path of the list of failures
 * @param props.tryAction the action of the form that tries waiting deliveries now
 */
export function Health(props: {
  page: Page
  endpoint: EndpointHealth
  enableAction: string
  activityPath: string
  tryAction: string
}) {
  const { page, endpoint, enableAction, activityPath, tryAction } = props
  const { failingSince, lastFailure, consecutiveFailureCount: count, disabledAt, disabledReason } = endpoint
  if (disabledAt !== null) {
    return (
      <div class="fault">
        <p>
          Disabled since <Time at={disabledAt} />: {DISABLED_WORDS[disabledReason ?? 'failing']} New events
          are held until you enable it. <Waiting endpoint={endpoint} />
        </p>
        <ActButton page={page} action={enableAction} label="Enable again" look="primary" />
      </div>
    )
  }
  if (failingSince !== null) {
    return (
      <div class="fault">
        <p>
          Failing since <Time at={failingSince} />: {count === 1 ? '1 failure' : `${count} failures in a row`}
          . {lastFailure !== null && <strong>{explainFailure(lastFailure)} </strong>}
        </p>
        <p>
          Events are retried on schedule. See the failures under <a href={activityPath}>Activity</a>. The URL
          is disabled after 5 days without a success. <Waiting endpoint={endpoint} />
        </p>
        {endpoint.waitingCount > 0 && (
          <ActButton page={page} action={tryAction} label="Retry now" look="primary" />
        )}
      </div>
    )
  }
  return (
    <p>
      {endpoint.calledAt !== null
        ? 'The last event was delivered.'
        : 'No event has been sent to this URL since it was enabled.'}{' '}
      Test events do not count. <Waiting endpoint={endpoint} />
    </p>
  )
}

/** True if it needs an act, which comes before a test. */
export function needsAct({ disabledAt, failingSince, waitingCount }: EndpointHealth): boolean {
  return disabledAt !== null || (failingSince !== null && waitingCount > 0)
}

/** Shows how many events it gets at a time. */
export function Places({ endpoint: { places, isSlowed } }: { endpoint: EndpointWork }) {
  return (
    <>
      {places === 1 ? '1 event' : `Up to ${places} events`} at a time
      {isSlowed && <small>, reduced because it timed out or returned 429 or 5xx</small>}
    </>
  )
}

function Waiting({ endpoint: { waitingCount, heldCount } }: { endpoint: EndpointHealth }) {
  const waiting = waitingCount === 1 ? 'is waiting' : 'are waiting'
  const held = heldCount === 1 ? 'is held' : 'are held'
  return (
    <>
      {waitingCount > 0 && `${eventWords(waitingCount)} ${waiting} for an attempt. `}
      {heldCount > 0 && `${eventWords(heldCount)} ${held}.`}
      {waitingCount + heldCount === 0 && 'Nothing is waiting.'}
    </>
  )
}

function eventWords(count: number): string {
  if (count > MAX_COUNTED) return `More than ${MAX_COUNTED} events`
  return countOf(count, 'event')
}
