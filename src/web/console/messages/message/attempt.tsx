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

/** Shows an attempt in short, or in full if the page's address asks for it. */
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
          Next attempt: <Time at={attempt.nextAttemptAt} />
        </p>
      )}
      {mayOpen(delivery) && <Tabs view={view} attempt={attempt} opened={opened} />}
      {opened?.view === 'request' && <Request {...{ view, delivery, attempt, opened }} />}
      {opened?.view === 'response' && <Response attempt={attempt} />}
      {opened?.view === 'timing' && <Timing attempt={attempt} />}
    </li>
  )
}

/** These are links, so that they work without a script and each has an address to share. */
function Tabs(props: { view: MessageView; attempt: DeliveryAttempt; opened: OpenedAttempt | undefined }) {
  const { view, attempt, opened } = props
  const { id, attemptNumber } = attempt
  return (
    <nav class="spans" aria-label={`Attempt ${attemptNumber}`}>
      {ATTEMPT_VIEWS.map((each) => (
        <a
          key={each}
          href={`${view.path}?${attemptQuery({ id, view: each })}#${anchorOf(id)}`}
          aria-current={each === opened?.view ? 'page' : undefined}
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
        The request is not available. Either none was sent, the person's data was erased, or the attempt
        predates the version that records requests.
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
          {laidOut(body.text)}
        </pre>
      )}
      <p class={body?.isProven === true ? 'muted' : 'why'}>{bodyWords(opened)}</p>
      <p class="muted">
        The URL shown is the current one. Host, Content-Length and the values of custom headers are omitted.
      </p>
      {view.isOwner && body !== undefined && (
        <details>
          <summary>Show as curl command</summary>
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

/**
 * Lays JSON out for reading. A body that does not come out of it exactly as it was, such as one with a number that is
 * too large to be read exactly, is shown as it is.
 */
export function laidOut(body: string): string {
  try {
    const value = JSON.parse(body) as unknown
    return JSON.stringify(value) === body ? JSON.stringify(value, null, 2) : body
  } catch {
    return body
  }
}

/** The path may contain a secret, which is private to its owner. */
export function shownUrl({ isOwner }: Pick<MessageView, 'isOwner'>, { url }: { url: string }): string {
  return isOwner || !URL.canParse(url) ? url : new URL(url).origin
}

function bodyWords({ body }: OpenedAttempt): string {
  if (body === undefined) {
    return "The body was not stored and cannot be rebuilt: its event was deleted, or the endpoint's current template fails on it."
  }
  return body.isProven
    ? 'This body was rebuilt from the event. It matches the signature that was sent.'
    : "This body was rebuilt from the event with the endpoint's current settings. They or the signing secret have changed since, so the body that was sent may differ."
}

function Response({ attempt }: { attempt: DeliveryAttempt }) {
  const { responseStatus, responseHeaders, responseExcerpt, bodyFailure, failure } = attempt
  if (responseStatus === null) {
    return <p>No response. {failure !== null && explainFailure(failure)}</p>
  }
  return (
    <>
      <p>
        Status {responseStatus} {STATUS_CODES[responseStatus] ?? ''}
      </p>
      {responseHeaders === null ? (
        <p class="muted">The response headers are not stored, or were deleted.</p>
      ) : (
        <Headers headers={responseHeaders} />
      )}
      {bodyFailure !== null && (
        <p class="muted">
          The response body is incomplete ({bodyFailure}). This does not matter: only the status counts.
        </p>
      )}
      {responseExcerpt !== null && responseExcerpt !== '' ? (
        <pre tabIndex={0} dir="auto">
          {responseExcerpt}
        </pre>
      ) : (
        <p class="muted">The response had no body, or it was deleted.</p>
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
          row(label, attempt[name], isKept ? 'none (connection reused)' : 'none'),
        )}
        {row('Total', attempt.durationMs, '')}
      </tbody>
    </table>
  )
}

function anchorOf(attemptId: string): string {
  return `attempt-${attemptId}`
}
