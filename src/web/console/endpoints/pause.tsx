import type { PauseOwner } from '../../../domain/operating/pauses.js'
import { ActButton, Confirm, Time } from '../form.js'
import type { Page } from '../page.js'
import { pauserWords } from '../operating/pauser.js'

export interface EndpointPause {
  pausedAt: Date | null
  pausedBy: PauseOwner | null
}

/**
 * Shows the switch for an endpoint's events.
 *
 * @param props.action the part of the path before `/pause` and `/resume`
 */
export function PauseEvents(props: { page: Page; endpoint: EndpointPause; action: string }) {
  const { page, endpoint, action } = props
  const { pausedAt, pausedBy } = endpoint
  if (pausedAt === null) {
    return (
      <Confirm
        page={page}
        action={`${action}/pause`}
        label="Pause events"
        consequence="Events wait, without using up attempts, until you resume them. Test events are still sent."
        button="Pause events"
      />
    )
  }
  return (
    <>
      <p class="fault">
        Events have been paused since <Time at={pausedAt} /> {pauserWords(pausedBy ?? 'operator')}. They wait
        without using up attempts.
        {!mayResumeEvents(page, endpoint) && ' Only operators can resume them.'}
      </p>
      {mayResumeEvents(page, endpoint) && (
        <ActButton page={page} action={`${action}/resume`} label="Resume events" />
      )}
    </>
  )
}

function mayResumeEvents({ session }: Page, { pausedBy }: EndpointPause): boolean {
  return pausedBy === 'owner' || session?.role === 'operator'
}
