import { explainCarrierCode } from '../../../../carriers/codes.js'
import type { Message } from '../../../../database/messages/message.js'
import { explainFailure } from '../../endpoints/failures.js'
import { Confirm, Form, Time } from '../../form.js'
import { pauserWords } from '../../operating/pauser.js'
import { ShortId } from '../../short-id.js'
import { JobLink } from './job-link.js'
import { formatDuration, SOURCE_LABELS } from './labels.js'
import type { MessageView } from './page-model.js'
import { messagePath } from './path.js'
import { SendTime } from '../send-time.js'
import {
  cancelPath,
  mayBeCancelled,
  maySendAgain,
  mayTryMessageNow,
  reschedulePath,
  sendAgainPath,
  tryNowPath,
} from './send-again.js'
import { Step } from './step.js'
import { UserText } from '../../user-text.js'

/** Accepted, waited, taken to the carrier, sent, and what the carrier reported. */
export function OutboundWay(view: MessageView) {
  const { page, message, isOwner } = view
  return (
    <>
      <h2>What happened</h2>
      <ol class="way">
        <Step title={`Accepted ${SOURCE_LABELS[message.source]}`} at={message.createdAt}>
          <SendOptions message={message} />
          {isOwner && message.againOf !== null && (
            <p>
              It sends <a href={messagePath(message.againOf)}>an earlier message</a> again.
            </p>
          )}
        </Step>
        {message.status === 'scheduled' && <Scheduled message={message} />}
        {message.status === 'queued' ? <Waiting {...view} /> : <Waited message={message} />}
        {message.claimedAt !== null && message.status !== 'queued' && <AtCarrier message={message} />}
        {message.sentAt !== null && <Step title="Sent: the carrier took it" at={message.sentAt} />}
        <End message={message} />
      </ol>
      {(message.status === 'queued' || message.status === 'sending') && (
        <JobLink page={page} queue="send-message" row={message} />
      )}
      {isOwner && maySendAgain(message) && <SendAgain {...view} />}
      {isOwner && mayBeCancelled(message) && <Later {...view} />}
    </>
  )
}

/** What its sender said of it besides. */
function SendOptions({ message: { clientRef, expiresAt } }: { message: Message }) {
  return (
    <>
      {clientRef !== null && (
        <p>
          Its sender calls it <UserText>{clientRef}</UserText>.
        </p>
      )}
      {expiresAt !== null && (
        <p>
          It fails if it was not sent by <Time at={expiresAt} />.
        </p>
      )}
    </>
  )
}

function Scheduled({ message: { dueAt } }: { message: Message }) {
  return (
    <Step title="Scheduled">
      <p>
        It is sent at <Time at={dueAt} />.
      </p>
    </Step>
  )
}

/** While it waits: another time, or none. */
function Later({ page, message: { id, attemptCount } }: MessageView) {
  const action = reschedulePath(id)
  return (
    <>
      {attemptCount === 0 && (
        <details class="confirm" open={page.fault?.action === action}>
          <summary>Change when it is sent</summary>
          <Form page={page} action={action}>
            <SendTime page={page} action={action} isRequired />
            <button type="submit">Save the time</button>
          </Form>
        </details>
      )}
      <Confirm
        page={page}
        action={cancelPath(id)}
        label="Cancel it"
        consequence="It is not sent then, and fails as cancelled."
        button="Cancel the message"
      />
    </>
  )
}

function Waiting(view: MessageView) {
  const { page, message, pauses, isOwner } = view
  const { id, error, dueAt, attemptCount, media } = message
  if (pauses.length > 0) return <Paused pauses={pauses} />
  return (
    <Step title="Waiting">
      <p>
        {error !== null ? (
          explainFailure(error)
        ) : media !== null && media.status !== 'stored' ? (
          'For the copy of its media.'
        ) : (
          <WaitWords {...view} />
        )}{' '}
        Looked at again: <Time at={dueAt} />.
      </p>
      {attemptCount > 0 && <p>{attemptsWords(attemptCount)} so far.</p>}
      {isOwner && mayTryMessageNow(view) && (
        <Form page={page} action={tryNowPath(id)} class="inline">
          <button type="submit" class="secondary">
            Try now
          </button>
        </Form>
      )}
    </Step>
  )
}

/** The rule that holds it back now, in the order in which a worker looks at them. */
function WaitWords({ wait, obstacles: { pausedUntil }, isOwner }: MessageView) {
  if (pausedUntil !== null) return <>For the end of the pause above.</>
  if (wait === undefined) return <>For its turn.</>
  const { earlierId, numberLimit, numberOpensAt, lineLimit, lineOpensAt, messagesPerSecond } = wait
  if (earlierId !== null) {
    const earlier = 'an earlier message to the same number'
    return (
      <>
        For {isOwner ? <a href={messagePath(earlierId)}>{earlier}</a> : earlier}: they go out one after the
        other.
      </>
    )
  }
  if (numberOpensAt !== null) {
    return (
      <>
        For its slot: the line sends {numberLimit} a minute to one number, and the next one at{' '}
        <Time at={numberOpensAt} />.
      </>
    )
  }
  if (lineOpensAt !== null) {
    return (
      <>
        For its slot: the line sends {lineLimit} a minute, and the next one at <Time at={lineOpensAt} />.
      </>
    )
  }
  if (messagesPerSecond !== null) {
    return <>For its turn: the carrier account takes {messagesPerSecond} a second.</>
  }
  return <>For its turn: no limit holds it back.</>
}

/** The words go on with "is paused". */
const PAUSED_WORDS: Record<MessageView['pauses'][number]['what'], string> = {
  line: 'What this line sends',
  account: "What the lines of this line's carrier account send",
  all: 'All sending',
}

function Paused({ pauses }: Pick<MessageView, 'pauses'>) {
  return (
    <Step title="Waiting: sending is paused">
      {pauses.map(({ what, since, isByOwner }) => (
        <p key={what} class="fault">
          {PAUSED_WORDS[what]} is paused since <Time at={since} />{' '}
          {pauserWords(isByOwner ? 'owner' : 'operator')}.
        </p>
      ))}
      <p>It is sent when that is over, unless it has expired by then.</p>
    </Step>
  )
}

function Waited({ message: { createdAt, sendAt, claimedAt, attemptCount } }: { message: Message }) {
  if (claimedAt === null) return null
  const ms = claimedAt.getTime() - Math.max(createdAt.getTime(), sendAt?.getTime() ?? 0)
  const until = attemptCount > 1 ? 'until the last attempt' : 'for its slot'
  return <Step title={`Waited ${formatDuration(ms)} ${until}`} />
}

function AtCarrier({ message }: { message: Message }) {
  const { claimedAt, attemptCount, carrierMessageId, status, carrierAccount } = message
  return (
    <Step title="Taken to the carrier" at={claimedAt}>
      <PassedOver message={message} />
      <p>
        {carrierAccount !== null && `By ${carrierAccount}. `}
        {attemptsWords(attemptCount)}
        {status === 'sending' && '; the carrier has not answered yet'}.
        {carrierMessageId !== null && (
          <>
            {' '}
            Carrier message id: <ShortId id={carrierMessageId} what="the carrier’s id" />
          </>
        )}
      </p>
    </Step>
  )
}

/** The routes that did not take it. */
function PassedOver({ message: { passedOver } }: { message: Message }) {
  return Object.entries(passedOver ?? {}).map(([account, reason]) => (
    <p key={account}>
      {account} did not take it. {explainFailure(reason)}
    </p>
  ))
}

/** How it ended, or what is still missing. */
function End({ message }: { message: Message }) {
  const { status, receiptAt } = message
  const why = <Why message={message} />
  switch (status) {
    case 'sent':
      return receiptAt === null ? (
        <Step title="No receipt yet: the carrier has not said whether it arrived" />
      ) : (
        <Step title="Receipt: the carrier has it, and has not said yet whether it arrived" at={receiptAt} />
      )
    case 'delivered':
      return <Step title="Receipt: delivered" at={receiptAt} />
    case 'failed':
      return (
        <Step title={receiptAt === null ? 'Failed' : 'Receipt: failed'} at={receiptAt}>
          {why}
        </Step>
      )
    case 'unknown':
      return <Step title="Unknown: nobody knows whether it was sent">{why}</Step>
    case 'scheduled':
    case 'queued':
    case 'sending':
    case 'received':
      return null
  }
}

function Why({ message: { error, carrierCode, carrierKind } }: { message: Message }) {
  const meaning = explainCarrierCode(carrierKind, carrierCode)
  return (
    <>
      {error !== null && <p>{explainFailure(error)}</p>}
      {meaning !== null && <p>{meaning.text}</p>}
      {carrierCode !== null && (
        <p>
          The carrier&apos;s code: <code>{carrierCode}</code>
        </p>
      )}
    </>
  )
}

function SendAgain({ page, message: { id, status }, key }: MessageView) {
  const action = sendAgainPath(id)
  const keyField = <input type="hidden" name="key" value={key} />
  if (status === 'unknown') {
    return (
      <Confirm
        page={page}
        action={action}
        label="Send again"
        consequence="It may have arrived already: sent again, it may arrive twice."
        button="Send it again"
      >
        {keyField}
      </Confirm>
    )
  }
  return (
    <Form page={page} action={action} class="inline">
      {keyField}
      <button type="submit">Send again</button>
    </Form>
  )
}

function attemptsWords(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`
}
