import type { Message } from '../../../../database/messages/message.js'
import { explainFailure } from '../../endpoints/failures.js'
import { Time } from '../../form.js'
import { SOURCE_LABELS, TYPE_LABELS } from '../message/labels.js'
import { MediaCopy } from '../message/media.js'
import { messagePath } from '../message/path.js'
import { Status } from '../../status.js'

/** What a line and a number have written to each other, the newest at the bottom. */
export function Thread({ messages }: { messages: readonly Message[] }) {
  return (
    <ol class="thread">
      {messages.map((message) => (
        <Bubble key={message.id} message={message} />
      ))}
    </ol>
  )
}

/** A message in one state never changes, so htmx leaves it alone when another one comes, and a recording plays on. */
function Bubble({ message }: { message: Message }) {
  const { id, direction, source, type, text, media, status, error, createdAt, dueAt } = message
  const state = [status, status === 'scheduled' ? dueAt.getTime() : '', media?.status, media?.isRemoved].join(
    '-',
  )
  return (
    <li id={`message-${id}-${state}`} class={direction} {...{ 'hx-morph-skip': '' }}>
      {text !== null && text !== '' && <p dir="auto">{text}</p>}
      {media !== null && <MediaCopy media={media} label={TYPE_LABELS[type]} />}
      {error !== null && <small class="why">{explainFailure(error)}</small>}
      <small>
        <a href={messagePath(id)}>
          <Time at={createdAt} />
        </a>{' '}
        <Status status={status} />
        {status === 'scheduled' && (
          <>
            {' '}
            goes out <Time at={dueAt} />
          </>
        )}
        {direction === 'outbound' && ` ${SOURCE_LABELS[source]}`}
      </small>
    </li>
  )
}
