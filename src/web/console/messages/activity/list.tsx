import { EVENT_TYPES } from '../../../../event-types.js'
import { Fragment } from 'preact'
import type { Delivery } from '../../../../database/endpoints/deliveries/delivery.js'
import { contactNumberOf, type Message } from '../../../../database/messages/message.js'
import type { Activity } from '../../../../domain/messages/activity.js'
import type { Contact } from '../../../../domain/lines/contacts.js'
import { ContactName } from '../conversation/contact-name.js'
import { conversationPath } from '../conversation/path.js'
import { explainFailure } from '../../endpoints/failures.js'
import { ActButton, Soon } from '../../form.js'
import type { Page } from '../../page.js'
import { mayRetry } from '../../../../domain/endpoints/deliveries/retry-filtered.js'
import { TYPE_LABELS } from '../message/labels.js'
import { deliverAgainPath, deliverNowPath } from '../message/send-again.js'
import { messagePath } from '../message/path.js'
import { Status } from '../../status.js'
import { TimeOfDay } from '../../time-filter-fields.js'
import { UserText } from '../../user-text.js'
import { daysIn, UTC } from '../../zone.js'

/** This shows most of a single SMS. A row of the list should have few lines. */
const EXCERPT_LENGTH = 140
/** More of a message's deliveries are on its own page. */
const MAX_DELIVERIES = 4

interface OfList {
  /** The names of lines, by id. */
  lineNames: ReadonlyMap<string, string>
  /** The contacts, by number. */
  contacts: ReadonlyMap<string, Contact>
  /** undefined for the reader's zone. */
  zone: string | undefined
  /** If set, there are buttons that try again and return to the list. */
  acts?: ListActs | undefined
}

interface ListActs {
  page: Page
  back: string
}

/** Shows a row for each message with the results of its events, grouped by day. */
export function ActivityList(props: OfList & { activities: readonly Activity[] }) {
  const { activities, lineNames, contacts, zone, acts } = props
  const dayOf = daysIn(zone ?? UTC)
  const rows = activities.map((activity) => ({ ...activity, ...headOf(activity) }))
  return (
    <ol class="activity" data-drawer="" {...(zone === undefined ? { 'data-days': '' } : {})}>
      {rows.map(({ id, message, deliveries, at, lineId }, index) => {
        const day = dayOf(at)
        const before = rows[index - 1]
        const line = lineNames.get(lineId)
        return (
          <Fragment key={id}>
            {(before === undefined || dayOf(before.at) !== day) && <li class="day">{day}</li>}
            {/* htmx finds the item by its id when the list is updated. */}
            <li id={`activity-${id}`}>
              <div class="when">
                <TimeOfDay zone={zone} at={at} />
                {line !== undefined && (
                  <span title={line}>
                    <UserText>{line}</UserText>
                  </span>
                )}
              </div>
              {message === undefined ? (
                <div>
                  {deliveries.map((each) => (
                    <DeliveryLine key={each.id} delivery={each} acts={acts} />
                  ))}
                </div>
              ) : (
                <OfMessage {...{ message, deliveries, contacts, acts }} />
              )}
              {message !== undefined && <End message={message} deliveries={deliveries} />}
            </li>
          </Fragment>
        )
      })}
    </ol>
  )
}

/** A delivery whose message is gone gets its own row. */
function headOf({ message, deliveries: [delivery] }: Activity): { at: Date; lineId: string } {
  const { createdAt, lineId } = message ?? delivery ?? { createdAt: new Date(0), lineId: '' }
  return { at: createdAt, lineId: lineId ?? '' }
}

function OfMessage(props: {
  message: Message
  deliveries: readonly Delivery[]
  contacts: ReadonlyMap<string, Contact>
  acts: ListActs | undefined
}) {
  const { message, deliveries, contacts, acts } = props
  const { id, lineId, direction, type, text, error, status, dueAt } = message
  const isSent = direction === 'outbound'
  const number = contactNumberOf(message)
  const rest = deliveries.length - MAX_DELIVERIES
  return (
    <div>
      <a href={messagePath(id)}>
        <span class={isSent ? 'arrow out' : 'arrow'} />
        {isSent ? 'To ' : 'From '}
        <ContactName number={number} name={contacts.get(number)?.name} />
      </a>{' '}
      <a href={conversationPath(lineId, number)} class="muted">
        Conversation
      </a>
      <p class="excerpt">{text === null ? TYPE_LABELS[type] : <UserText>{excerptOf(text)}</UserText>}</p>
      {status === 'scheduled' && (
        <p>
          Sends <Soon at={dueAt} />
        </p>
      )}
      {error !== null && <p class="why">{explainFailure(error)}</p>}
      {!isQuiet(deliveries) &&
        deliveries
          .slice(0, MAX_DELIVERIES)
          .map((each) => <DeliveryLine key={each.id} delivery={each} acts={acts} />)}
      {rest > 0 && <p class="delivery">{`and ${rest} more`}</p>}
    </div>
  )
}

/** True for the usual case, one delivery that succeeded at once, which needs no line of its own. */
function isQuiet(deliveries: readonly Delivery[]): boolean {
  const [only] = deliveries
  return deliveries.length === 1 && only?.status === 'delivered' && only.attemptCount === 1
}

/** Shows the state at the end of a row: that of the usual delivery, otherwise that of the message. */
function End({ message, deliveries }: { message: Message; deliveries: readonly Delivery[] }) {
  const [only] = deliveries
  return (
    <div class="end">
      {isQuiet(deliveries) && only !== undefined ? (
        <>
          <small class="wide">
            <Receiver delivery={only} />
          </small>
          <Status status={only.status} />
        </>
      ) : (
        <Status status={message.status} />
      )}
    </div>
  )
}

/** Shows which event was sent to whom. */
function Receiver({ delivery: { type, url, applicationName } }: { delivery: Delivery }) {
  return (
    <>
      {EVENT_TYPES[type].label} to{' '}
      {applicationName === null ? hostOf(url) : <UserText>{applicationName}</UserText>}
    </>
  )
}

function DeliveryLine({ delivery, acts }: { delivery: Delivery; acts: ListActs | undefined }) {
  const { id, messageId, attemptCount, lastFailure, status } = delivery
  return (
    <div class="delivery">
      <Receiver delivery={delivery} /> <Status status={status} />
      {attemptCount > 1 && ` after ${attemptCount} attempts`}
      {lastFailure !== null && status !== 'delivered' && (
        <span class="why"> {explainFailure(lastFailure)}</span>
      )}{' '}
      {acts !== undefined && messageId !== null && mayRetry(delivery) && (
        <ActButton
          page={acts.page}
          action={status === 'pending' ? deliverNowPath(messageId, id) : deliverAgainPath(messageId, id)}
          label={status === 'pending' ? 'Retry now' : 'Retry'}
          look="link"
          fields={{ back: acts.back }}
        />
      )}
    </div>
  )
}

/** Cuts only between whole characters. */
export function excerptOf(text: string): string {
  const characters = Array.from(text)
  return characters.length <= EXCERPT_LENGTH ? text : `${characters.slice(0, EXCERPT_LENGTH).join('')}…`
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
