import type { ComponentChildren } from 'preact'
import { STATUS_CODES } from 'node:http'
import type { DeliveryAttempt } from '../../../../database/endpoints/deliveries/delivery.js'
import type { DeliveryWithAttempts } from '../../../../domain/endpoints/deliveries/delivery-history.js'
import { explainFailure } from '../../endpoints/failures.js'
import { Time } from '../../form.js'
import { Copyable } from '../../secret.js'
import { curlCommand } from './curl.js'
import { formatDuration, PHASES } from './labels.js'
import {
  ATTEMPT_VIEWS,
  attemptQuery,
  mayOpen,
  type AttemptView,
  type OpenedAttempt,
} from './opened-attempt.js'
import type { MessageView } from './page-model.js'

interface AttemptProps {
  view: MessageView
  delivery: DeliveryWithAttempts
  attempt: DeliveryAttempt
}

const VIEW_LABELS: Record<AttemptView, string> = {
  request: 'Request',
  response: 'Response',
  timing: 'Timing',
}

/** Shows an attempt in short, or whole if the page's address asks for it. */
export function Attempt({ view, delivery, attempt }: AttemptProps) {
  const { id, attemptNumber, startedAt, durationMs, responseStatus, responseExcerpt, failure } = attempt
  const opened = view.opened?.id === id ? view.opened : undefined
  return (
    <li id={anchorOf(id)}>
      <p>
        <strong>Attempt {attemptNumber}</strong>{' '}
        <span class="muted">
          <Time at={startedAt} /> · {formatDuration(durationMs)}
        </span>
        {responseStatus !== null && ` · status ${responseStatus}`}
      </p>
      {failure !== null && <p class="why">{explainFailure(failure)}</p>}
      {responseExcerpt !== null && responseExcerpt !== '' && opened?.view !== 'response' && (
        <pre tabIndex={0} dir="auto">
          {responseExcerpt}
        </pre>
      )}
      {attempt.nextAttemptAt !== null && (
        <p class="muted">
          Next attempt due at <Time at={attempt.nextAttemptAt} />
        </p>
      )}
      {mayOpen(delivery) && <Tabs view={view} attempt={attempt} opened={opened} />}
      {opened?.view === 'request' && <Request {...{ view, delivery, attempt, opened }} />}
      {opened?.view === 'response' && <Response attempt={attempt} />}
      {opened?.view === 'timing' && <Timing attempt={attempt} />}
    </li>
  )
}

/** Links, so that they work without a script; the address of each can be given to others. */
function Tabs(props: { view: MessageView; attempt: DeliveryAttempt; opened: OpenedAttempt | undefined }) {
  const { view, attempt, opened } = props
  const { id, attemptNumber } = attempt
  return (
    <nav class="spans" aria-label={`Attempt ${attemptNumber}`}>
      {ATTEMPT_VIEWS.map((each) => (
        <a
          key={each}
          href={`${view.path}?${attemptQuery({ id, view: each })}#${anchorOf(id)}`}
          {...(each === opened?.view ? { 'aria-current': 'page' as const } : {})}
        >
          {VIEW_LABELS[each]}
        </a>
      ))}
      {opened !== undefined && <a href={`${view.path}#${anchorOf(id)}`}>Close</a>}
    </nav>
  )
}

function Request({ view, delivery, attempt, opened }: AttemptProps & { opened: OpenedAttempt }) {
  const { requestHeaders: headers } = attempt
  if (headers === null) {
    return (
      <p>
        No request is known: none was sent, or its person was forgotten, or it is older than the version that
        keeps them.
      </p>
    )
  }
  const { body } = opened
  const url = shownUrl(view, delivery)
  return (
    <>
      <p>
        POST <code>{url}</code>
      </p>
      <Headers headers={headers} />
      {body !== undefined && (
        <pre tabIndex={0} dir="auto">
          {body.text}
        </pre>
      )}
      <p class={body?.isProven === true ? 'muted' : 'why'}>{bodyWords(opened)}</p>
      <p class="muted">
        The URL is the one of today. Host and Content-Length are left out, and the values of headers that the
        endpoint adds.
      </p>
      {view.isOwner && body !== undefined && (
        <details>
          <summary>As a curl command</summary>
          <Copyable
            id={`curl-${attempt.id}`}
            text={curlCommand({ url, headers, body: body.text })}
            what="the curl command"
          />
        </details>
      )}
    </>
  )
}

/** Its path may have a secret, which is its owner's alone. */
export function shownUrl({ isOwner }: Pick<MessageView, 'isOwner'>, { url }: { url: string }): string {
  return isOwner || !URL.canParse(url) ? url : new URL(url).origin
}

function bodyWords({ body }: OpenedAttempt): string {
  if (body === undefined) {
    return "The body is not kept and cannot be made again: its event is gone, or the endpoint's template of today makes nothing of it."
  }
  return body.isProven
    ? 'The body is made again from the event. The signature that was sent proves that it is the same.'
    : "The body is made again from the event, as the endpoint's policy is now. The policy or the signing secret was changed since, so what was sent may have been another."
}

function Response({ attempt }: { attempt: DeliveryAttempt }) {
  const { responseStatus, responseHeaders, responseExcerpt, failure } = attempt
  if (responseStatus === null) {
    return <p>There was no answer. {failure !== null && explainFailure(failure)}</p>
  }
  return (
    <>
      <p>
        Status {responseStatus} {STATUS_CODES[responseStatus] ?? ''}
      </p>
      {responseHeaders === null ? (
        <p class="muted">Its headers are not kept, or not any more.</p>
      ) : (
        <Headers headers={responseHeaders} />
      )}
      {responseExcerpt !== null && responseExcerpt !== '' ? (
        <pre tabIndex={0} dir="auto">
          {responseExcerpt}
        </pre>
      ) : (
        <p class="muted">It had no body, or its body is not kept any more.</p>
      )}
    </>
  )
}

function Headers({ headers }: { headers: Record<string, string> }) {
  return (
    <pre tabIndex={0} dir="auto">
      {Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n')}
    </pre>
  )
}

function Timing({ attempt }: { attempt: DeliveryAttempt }) {
  const row = (label: string, ms: number | null, none: ComponentChildren) => (
    <tr>
      <th scope="row">{label}</th>
      <td>{ms === null ? <span class="muted">{none}</span> : formatDuration(ms)}</td>
    </tr>
  )
  const isKept = attempt.firstByteMs !== null && attempt.connectMs === null
  return (
    <table class="timing">
      <tbody>
        {PHASES.map(([name, label]) =>
          row(label, attempt[name], isKept ? 'none: the connection was open already' : 'none'),
        )}
        {row('In all', attempt.durationMs, '')}
      </tbody>
    </table>
  )
}

function anchorOf(attemptId: string): string {
  return `attempt-${attemptId}`
}
