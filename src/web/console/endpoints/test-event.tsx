import { EVENT_TYPES, type EventType } from '../../../event-types.js'
import type { TestEventResult } from '../../../domain/endpoints/test-event.js'
import { explainFailure } from './failures.js'
import { Form } from '../form.js'
import type { Page } from '../page.js'
import { resultIn } from '../parts/piece.js'

const RESULT_ID = 'test-event-result'
/** An error message is shorter. More of an HTML page would only push everything else away. */
const MAX_SHOWN = 500

export function TestEvent(props: {
  page: Page
  action: string
  result: TestEventResult | undefined
  /** The types to choose from; if empty, it is a text. */
  types?: readonly EventType[]
  /** True if it is the page's primary act. */
  isPrimary?: boolean
}) {
  const { page, action, result, types = [], isPrimary = false } = props
  return (
    <>
      <Form
        page={page}
        action={action}
        class="inline"
        more={{ 'data-hx-post': action, ...resultIn(RESULT_ID) }}
      >
        {types.length > 0 && (
          <select name="type" aria-label="Type of the test event">
            {types.map((type) => (
              <option key={type} value={type}>
                {EVENT_TYPES[type].label}
              </option>
            ))}
          </select>
        )}{' '}
        <button type="submit" class={isPrimary ? 'primary' : 'secondary'}>
          Send test event
        </button>{' '}
        <span class="sending" aria-hidden="true">
          Sending…
        </span>
      </Form>
      <div id={RESULT_ID} role="status">
        {result !== undefined && <TestEventOutcome result={result} />}
      </div>
    </>
  )
}

export function TestEventOutcome({ result }: { result: TestEventResult }) {
  const { delivered, responseStatus, failure, durationMs, responseExcerpt } = result
  return (
    <div class={delivered ? 'notice' : 'fault'}>
      <p>
        <span class={delivered ? 'badge good' : 'badge bad'}>{delivered ? 'delivered' : 'failed'}</span>{' '}
        {delivered && `Your server returned HTTP ${responseStatus ?? ''}. `}
        {failure !== null && `${explainFailure(failure)} `}
        It took {durationMs} ms.
      </p>
      {responseExcerpt !== null && responseExcerpt !== '' && (
        <pre tabIndex={0} dir="auto">
          <code>{shorten(responseExcerpt)}</code>
        </pre>
      )}
    </div>
  )
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
