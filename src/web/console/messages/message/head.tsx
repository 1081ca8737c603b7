import { contactNumberOf, type Message } from '../../../../database/messages/message.js'
import { sizeOf } from '../../../../domain/messages/segments.js'
import { moneyOf } from '../../../../domain/messages/spending/monthly-caps.js'
import { ContactName } from '../conversation/contact-name.js'
import { conversationPath, conversationsPath } from '../conversation/path.js'
import { linePath, LINES } from '../../lines/line/section.js'
import { PhoneNumber } from '../phone-number.js'
import { segmentWords } from '../segments.js'
import { Fact, Facts } from '../../parts/facts.js'
import { PageHead } from '../../parts/page-head.js'
import { Status } from '../../status.js'
import { TYPE_LABELS } from './labels.js'
import { MediaCopies } from './media.js'
import type { MessageView } from './page-model.js'
import { UserText } from '../../user-text.js'

/** Shows the two parties, and the state. */
export function Head(view: MessageView) {
  const { message, line, isOwner, contactName } = view
  const number = contactNumberOf(message)
  const { direction, status } = message
  return (
    <PageHead
      crumbs={
        isOwner
          ? [
              ['Lines', LINES],
              [line.name, linePath(line.id)],
              ['Conversations', conversationsPath(line.id)],
            ]
          : []
      }
      title={
        <>
          {direction === 'outbound' ? 'To ' : 'From '}
          {isOwner ? (
            <a href={conversationPath(line.id, number)}>
              <ContactName number={number} name={contactName} />
            </a>
          ) : (
            <PhoneNumber number={number} />
          )}
        </>
      }
      beside={<Status status={status} />}
    />
  )
}

/** Shows the content. */
export function Said({ message: { type, direction, text, mediaUrls, media } }: MessageView) {
  return (
    <div class={`flow ${direction}`}>
      {text !== null && (
        <blockquote class="text" dir="auto">
          {text}
        </blockquote>
      )}
      <MediaCopies media={media} label={TYPE_LABELS[type]} />
      {direction === 'outbound' && mediaUrls.map((url) => <MediaUrl key={url} url={url} />)}
    </div>
  )
}

/** Shows the facts about it, beside the history. */
export function MessageFacts({ message, line, isOwner }: MessageView) {
  const { id, direction, type } = message
  const size = sizeOf(message)
  return (
    <Facts>
      <Fact label={direction === 'outbound' ? 'From' : 'To'}>
        {isOwner ? (
          <a href={linePath(line.id)}>
            <UserText>{line.name}</UserText>
          </a>
        ) : (
          <UserText>{line.name}</UserText>
        )}
        {line.name !== line.number && (
          <>
            {' '}
            <span class="muted">
              <PhoneNumber number={line.number} />
            </span>
          </>
        )}
      </Fact>
      <Fact label="Type">{TYPE_LABELS[type]}</Fact>
      <Fact label="Message ID" copyId={`fact-${id}`} what="the message ID">
        <code>{id}</code>
      </Fact>
      {size !== undefined && (
        <Fact label="Length">
          {segmentWords(size)}
          {chargeWords(message)}
        </Fact>
      )}
      {size === undefined && chargeWords(message) !== '' && (
        <Fact label="Charge">{chargeWords(message).replace(/^; /, '')}</Fact>
      )}
    </Facts>
  )
}

/** Describes the carrier's segments and price, if there are any. */
function chargeWords({ carrierSegmentCount, price, currency }: Message): string {
  const count = carrierSegmentCount === null ? '' : `; the carrier counted ${carrierSegmentCount}`
  if (price === null || currency === null) return count
  return `${count}; cost: ${moneyOf({ amount: price, currency })}`
}

/**
 * Nothing is loaded from the URL until the reader clicks. Only http(s) is a link: `javascript:` would run in this
 * page.
 */
function MediaUrl({ url }: { url: string }) {
  const isWeb = /^https?:\/\//i.test(url)
  return (
    <p class="media">
      From:{' '}
      {isWeb ? (
        <a href={url} rel="noopener noreferrer" target="_blank">
          {url}
        </a>
      ) : (
        <code>{url}</code>
      )}
    </p>
  )
}
