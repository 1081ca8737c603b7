import { Fragment } from 'preact'
import { newId } from '../../../../ids.js'
import type { Message } from '../../../../database/messages/message.js'
import type { MessageStatus } from '../../../../states.js'
import { explainFailure } from '../../endpoints/failures.js'
import { ActButton, Soon } from '../../form.js'
import type { Page } from '../../page.js'
import { maySendAgain } from '../message/send-again.js'
import { TYPE_LABELS } from '../message/labels.js'
import { MediaCopies } from '../message/media.js'
import { messagePath } from '../message/path.js'
import { Status } from '../../status.js'
import { clockIn, daysIn, UTC } from '../../zone.js'

/** These states are usual, so they are not shown for each message. */
export const USUAL: ReadonlySet<MessageStatus> = new Set(['received', 'sent', 'delivered'])

/** Messages of one side that follow each other within this time have one time, at the last of them. */
const RUN_MS = 5 * 60_000

/** Shows the messages between a line and a number, grouped by day, the newest at the bottom. */
export function Thread(props: {
  messages: readonly Message[]
  page: Page
  /** The conversation's path, which is shown again after a text was resent. */
  path: string
}) {
  const { messages, page, path } = props
  const dayOf = daysIn(UTC)
  return (
    <ol class="thread" data-days="">
      {messages.map((message, n) => {
        const day = dayOf(message.createdAt)
        const before = messages[n - 1]
        return (
          <Fragment key={message.id}>
            {(before === undefined || dayOf(before.createdAt) !== day) && <li class="day">{day}</li>}
            <Bubble {...{ message, page, path, follows: before !== undefined && isRun(before, message) }} />
          </Fragment>
        )
      })}
    </ol>
  )
}

function isRun(before: Message, message: Message): boolean {
  return (
    before.direction === message.direction &&
    message.createdAt.getTime() - before.createdAt.getTime() < RUN_MS
  )
}

/**
 * A message of which nothing that is shown has changed keeps its id, so htmx leaves it alone when another one comes,
 * and a recording plays on. For the same reason the style sheet hides its time when one that follows it comes.
 */
function Bubble(props: { message: Message; page: Page; path: string; follows: boolean }) {
  const { message, page, path, follows } = props
  const { id, direction, type, text, media, status, error, createdAt, dueAt } = message
  const isLater = status === 'scheduled'
  const state = [
    status,
    isLater ? dueAt.getTime() : '',
    error ?? '',
    ...media.map((each) => `${each.status}${each.isRemoved ? '-removed' : ''}${each.failure ?? ''}`),
  ]
    .join('-')
    // An id has no spaces, but a carrier's words may, in any language.
    .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '-')
  return (
    <li
      id={`message-${id}-${state}`}
      class={[direction, ...(isLater ? ['later'] : []), ...(follows ? ['follows'] : [])].join(' ')}
      {...{ 'data-hx-morph-skip': '', 'data-at': createdAt.toISOString() }}
    >
      {text !== null && text !== '' && <p dir="auto">{text}</p>}
      <MediaCopies media={media} label={TYPE_LABELS[type]} />
      <small>
        <a href={messagePath(id)}>
          {isLater ? (
            <span class="badge info">
              sends <Soon at={dueAt} />
            </span>
          ) : (
            <ClockTime at={createdAt} />
          )}
        </a>
        {!USUAL.has(status) && !isLater && <Status status={status} />}
        {error !== null && <span class="why">{explainFailure(error)}</span>}
      </small>
      {/* If it may have arrived, its own page asks first. */}
      {maySendAgain(message) && status === 'failed' && (
        <ActButton
          page={page}
          action={`${messagePath(id)}/send-again`}
          label="Resend"
          fields={{ key: newId(), back: path }}
        />
      )}
    </li>
  )
}

/** Shows the time without the day, which stands above. */
function ClockTime({ at }: { at: Date }) {
  const exact = clockIn(UTC, at)
  return (
    <time dateTime={at.toISOString()} title={exact} data-as="minute">
      {exact.slice(11, 16)}
    </time>
  )
}
