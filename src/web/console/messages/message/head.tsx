import { contactNumberOf, type Message } from '../../../../database/messages/message.js'
import { moneyOf } from '../../../../domain/messages/spending/monthly-caps.js'
import { cutIntoSegments } from '../../../../kit/text/segments.js'
import { ContactName } from '../conversation/contact-name.js'
import { conversationPath } from '../conversation/path.js'
import { labelOf } from '../activity/filter-form.js'
import { linePath } from '../../lines/line/section.js'
import { PhoneNumber } from '../phone-number.js'
import { segmentWords } from '../segments.js'
import { ShortId } from '../../short-id.js'
import { Status } from '../../status.js'
import { TYPE_LABELS } from './labels.js'
import { MediaCopy } from './media.js'
import type { MessageView } from './page-model.js'
import { strayFaultOf } from './send-again.js'

/** Between whom, and what it says. */
export function Head(view: MessageView) {
  const { message, line, isOwner, contactName } = view
  const number = contactNumberOf(message)
  const lineLabel = labelOf(line.name, line.number)
  const { direction, type, text, mediaUrl, media, status } = message
  const fault = strayFaultOf(view)
  return (
    <>
      {fault !== undefined && (
        <p role="alert" class="fault">
          {fault}
        </p>
      )}
      <h1>
        {direction === 'outbound' ? 'To ' : 'From '}
        {isOwner ? (
          <a href={conversationPath(line.id, number)}>
            <ContactName number={number} name={contactName} />
          </a>
        ) : (
          <PhoneNumber number={number} />
        )}
      </h1>
      <p class="facts">
        <Status status={status} />
        <span>
          {TYPE_LABELS[type]} {direction === 'outbound' ? 'from the line' : 'to the line'}{' '}
          {isOwner ? (
            <a href={linePath(line.id)} dir="auto">
              {lineLabel}
            </a>
          ) : (
            <span dir="auto">{lineLabel}</span>
          )}
        </span>
        <span>
          Id <ShortId id={message.id} what="the message’s id" />
        </span>
      </p>
      {text !== null && (
        <blockquote class="text" dir="auto">
          {text}
        </blockquote>
      )}
      {text !== null && (
        <p class="muted">
          {wordsOfText(text)}
          {chargeWords(message)}
        </p>
      )}
      {text === null && <Charge message={message} />}
      {media !== null && <MediaCopy media={media} label={TYPE_LABELS[type]} />}
      {mediaUrl !== null && direction === 'outbound' && <MediaUrl url={mediaUrl} />}
    </>
  )
}

/** What its carrier said of it besides, if anything. */
function chargeWords({ carrierSegmentCount, price, currency }: Message): string {
  const count = carrierSegmentCount === null ? '' : `; ${carrierSegmentCount} by the carrier's count`
  if (price === null || currency === null) return count
  return `${count}; cost: ${moneyOf({ amount: price, currency })}`
}

function Charge({ message }: { message: Message }) {
  const words = chargeWords(message).replace(/^; /, '')
  return words === '' ? null : <p class="muted">{words}</p>
}

function wordsOfText(text: string): string {
  const { encoding, parts } = cutIntoSegments(text)
  return segmentWords({ encoding, segmentCount: parts.length })
}

/** Nothing is loaded from the URL until the reader clicks. Only http(s) is a link: `javascript:` would run in this page. */
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
