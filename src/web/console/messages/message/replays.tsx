import type { EventReplay } from '../../../../database/endpoints/replaying.js'
import { countOf } from '../../../../domain/operating/overview/figures.js'
import { explainFailure } from '../../endpoints/failures.js'
import { Time } from '../../form.js'
import { PageLink } from '../../portal/page-link.js'
import { TASKS } from '../../operating/tasks.js'
import { shownUrl } from './attempt.js'
import type { MessageView } from './page-model.js'
import { Step } from './step.js'

/** Shows other URLs' answers to the event when it was replayed. */
export function Replays({ view, replays }: { view: MessageView; replays: readonly EventReplay[] }) {
  return (
    <>
      {replays.map(({ taskId, url, sentAt, attemptCount, responseStatus, failure }) => (
        <Step
          key={taskId}
          title={
            <>
              <PageLink page={view.page} href={TASKS}>
                Replayed
              </PageLink>{' '}
              to <code>{shownUrl(view, { url })}</code>{' '}
              <span class={`badge ${failure === null ? 'good' : 'bad'}`}>
                {failure === null ? 'delivered' : 'failed'}
              </span>
            </>
          }
        >
          <p>
            {countOf(attemptCount, 'attempt')}, the last one at <Time at={sentAt} />
            {responseStatus !== null && ` · status ${responseStatus}`}
          </p>
          {failure !== null && <p class="why">{explainFailure(failure)}</p>}
        </Step>
      ))}
    </>
  )
}
