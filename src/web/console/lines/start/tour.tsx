import type { Tour } from '../../../../domain/lines/first-steps.js'
import { ActButton } from '../../form.js'
import type { Page } from '../../page.js'
import { LiveSteps } from './steps.js'

/** Shows the steps on the page where people begin, until they are done or the user closes them. */
export function TourSection({ page, tour }: { page: Page; tour: Tour | undefined }) {
  if (tour === undefined) return null
  return (
    <section class="tour" aria-labelledby="tour">
      <h2 id="tour">Get started</h2>
      <LiveSteps {...tour} />
      <ActButton page={page} action="/console/tour/close" label="Dismiss" look="secondary" />
    </section>
  )
}
