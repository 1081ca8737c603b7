import { Form, Time } from '../form.js'
import type { LineView } from './view.js'

const DISABLED_WORDS = {
  gone: 'the server answered 410 Gone, which says that the URL is no longer in use.',
  failing: 'nothing but failures came from it for 5 days.',
}

/** How the endpoint does, by what came of the events that were sent to it. */
export function Health(props: { view: LineView; endpoint: NonNullable<LineView['connection']['endpoint']> }) {
  const { view, endpoint } = props
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
        <Form page={view.page} action={`${view.path}/connection/enable`} class="inline">
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
          <a href={`/console/activity?line=${view.line.id}`}>activity</a>. After 5 days of nothing but
          failures the URL is disabled.
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
