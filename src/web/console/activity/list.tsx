import { contactNumberOf } from '../../../database/messages/message.js'
import { idOf, type Activity } from '../../../domain/activity.js'
import type { Contact } from '../../../domain/contacts.js'
import { ContactName } from '../conversation/contact-name.js'
import { conversationPath } from '../conversation/path.js'
import { explainFailure } from '../failures.js'
import { EVENT_LABELS, TYPE_LABELS } from '../message/labels.js'
import { messagePath } from '../message/path.js'
import { Status } from '../status.js'
import { TimeIn } from '../time-filter-fields.js'
import { UserText } from '../user-text.js'

/** It shows most of a single SMS. A row of the list should have no more than two lines. */
const EXCERPT_LENGTH = 140

interface OfList {
  /** By line id. */
  lineNames: ReadonlyMap<string, string>
  /** By number. */
  contacts: ReadonlyMap<string, Contact>
  /** undefined: the reader's. */
  zone: string | undefined
}

export function ActivityList(props: OfList & { activities: readonly Activity[] }) {
  const { lineNames, contacts, zone } = props
  return (
    <ol class="activity">
      {props.activities.map((activity) => (
        // htmx finds the item by its id when the list is brought up to date.
        <li key={idOf(activity)} id={`activity-${idOf(activity)}`}>
          {activity.kind === 'message' ? (
            <MessageRow message={activity.message} {...{ lineNames, contacts, zone }} />
          ) : (
            <DeliveryRow delivery={activity.delivery} {...{ lineNames, contacts, zone }} />
          )}
        </li>
      ))}
    </ol>
  )
}

type RowOf<K extends Activity['kind']> = Extract<Activity, { kind: K }> & OfList

function MessageRow({ message, lineNames, contacts, zone }: Omit<RowOf<'message'>, 'kind'>) {
  const { id, lineId, direction, type, text, error, status } = message
  const isSent = direction === 'outbound'
  const number = contactNumberOf(message)
  return (
    <>
      <Head at={message.createdAt} zone={zone} line={lineNames.get(message.lineId)} />
      <div>
        <a href={messagePath(id)}>
          <Arrow>{isSent ? '→' : '←'}</Arrow>
          {isSent ? 'To ' : 'From '}
          <ContactName number={number} name={contacts.get(number)?.name} />
        </a>{' '}
        <a href={conversationPath(lineId, number)} class="muted">
          Conversation
        </a>
        <p class="excerpt">{text === null ? TYPE_LABELS[type] : <UserText>{excerptOf(text)}</UserText>}</p>
        {error !== null && <p class="why">{explainFailure(error)}</p>}
      </div>
      <Status status={status} />
    </>
  )
}

function DeliveryRow({ delivery, lineNames, contacts, zone }: Omit<RowOf<'delivery'>, 'kind'>) {
  const { messageId, type, url, applicationName, attemptCount, lastFailure, fromNumber, status } = delivery
  const what = (
    <>
      <Arrow>⇢</Arrow>
      Event to {applicationName === null ? hostOf(url) : <UserText>{applicationName}</UserText>}
    </>
  )
  return (
    <>
      <Head at={delivery.createdAt} zone={zone} line={lineNames.get(delivery.lineId)} />
      <div>
        {messageId === null ? what : <a href={messagePath(messageId)}>{what}</a>}
        <p class="excerpt">
          {EVENT_LABELS[type]} (<code>{type}</code>)
          {messageId !== null && (
            <>
              {type === 'messageStatus' ? ' to ' : ' from '}
              <ContactName number={fromNumber} name={contacts.get(fromNumber)?.name} />
            </>
          )}{' '}
          · {attemptCount} {attemptCount === 1 ? 'attempt' : 'attempts'}
        </p>
        {lastFailure !== null && <p class="why">{explainFailure(lastFailure)}</p>}
      </div>
      <Status status={status} />
    </>
  )
}

function Head(props: { at: Date; zone: string | undefined; line: string | undefined }) {
  const { at, zone, line = '' } = props
  return (
    <div class="when">
      <TimeIn zone={zone} at={at} />
      <span>
        <UserText>{line}</UserText>
      </span>
    </div>
  )
}

function Arrow({ children }: { children: string }) {
  return <span aria-hidden="true">{children} </span>
}

/** Whole characters only. */
export function excerptOf(text: string): string {
  const characters = Array.from(text)
  return characters.length <= EXCERPT_LENGTH ? text : `${characters.slice(0, EXCERPT_LENGTH).join('')}…`
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
