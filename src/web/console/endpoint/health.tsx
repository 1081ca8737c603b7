import { Form, Time } from '../form.js'
import type { Page } from '../page.js'

const DISABLED_WORDS = {
  gone: 'the server answered 410 Gone, which says that the URL is no longer in use.',
  failing: 'nothing but failures came from it for 5 days.',
}

export interface EndpointHealth {
  failingSince: Date | null
  consecutiveFailureCount: number
  disabledAt: Date | null
  disabledReason: 'gone' | 'failing' | null
}

/**
 * How an endpoint does, by what came of the events that were sent to it.
 *
 * @param props.enableAction of the form that enables it again
 * @param props.activityPath where the failures are listed
 */
export function Health(props: {
  page: Page
  endpoint: EndpointHealth
  enableAction: string
  activityPath: string
}) {
  const { page, endpoint, enableAction, activityPath } = props
  const { failingSince, consecutiveFailureCount: count, disabledAt, disabledReason } = endpoint
  if (disabledAt !== null) {
    return (
      <>
        <h3>
          Health <span class="badge bad">disabled</span>
        </h3>
        <p>
          Disabled since <Time at={disabledAt} />: {DISABLED_WORDS[disabledReason ?? 'failing']} New events
          are held until you enable it again.
        </p>
        <Form page={page} action={enableAction} class="inline">
          <button type="submit">Enable again</button>
        </Form>
      </>
    )
  }
  if (failingSince !== null) {
    return (
      <>
        <h3>
          Health <span class="badge waiting">failing</span>
        </h3>
        <p>
          Failing since <Time at={failingSince} />: {count === 1 ? '1 failure' : `${count} failures in a row`}
          . Each event is tried again, up to 10 times within three days. See what went wrong under{' '}
          <a href={activityPath}>activity</a>. After 5 days of nothing but failures the URL is disabled.
        </p>
      </>
    )
  }
  return (
    <>
      <h3>
        Health <span class="badge good">works</span>
      </h3>
      <p>The last event was taken, or there was none yet. Test events do not count.</p>
    </>
  )
}
