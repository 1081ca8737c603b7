import { explainCarrierCode } from '../../../../carriers/codes.js'
import type { Message } from '../../../../database/messages/message.js'
import { countOf } from '../../../../domain/operating/overview/figures.js'
import { explainFailure } from '../../endpoints/failures.js'
import { ActButton, Confirm, Form, Time } from '../../form.js'
import { pauserWords } from '../../operating/pauser.js'
import { ShortId } from '../../short-id.js'
import { JobLink } from './job-link.js'
import { formatDuration, SOURCE_LABELS } from './labels.js'
import type { MessageView } from './page-model.js'
import { messagePath } from './path.js'
import { SendTime } from '../send-time.js'
import { mayBeCancelled, maySendAgain, mayTryMessageNow } from './send-again.js'
import { Step } from './step.js'
import { UserText } from '../../user-text.js'

/** Shows the stages: accepted, waiting, handed to the carrier, sent, and the carrier's reports. */
export function OutboundHistory(view: MessageView) {
  const { page, message, isOwner } = view
  return (
    <>
      <h2>Timeline</h2>
      <ol class="way">
        <Step title={`Accepted ${SOURCE_LABELS[message.source]}`} at={message.createdAt}>
          <SendOptions message={message} />
          {isOwner && message.againOf !== null && (
            <p>
              Resends <a href={messagePath(message.againOf)}>an earlier message</a>.
            </p>
          )}
        </Step>
        {message.status === 'scheduled' && <Scheduled message={message} />}
        {message.status === 'queued' ? <Waiting {...view} /> : <Waited message={message} />}
        {message.claimedAt !== null && message.status !== 'queued' && <AtCarrier message={message} />}
        {message.sentAt !== null && <Step title="Sent: the carrier accepted it" at={message.sentAt} />}
        <End message={message} />
      </ol>
      {(message.status === 'queued' || message.status === 'sending') && (
        <JobLink page={page} queue="send-message" row={message} />
      )}
      {isOwner && mayBeCancelled(message) && <Later {...view} />}
    </>
  )
}

/** Shows why it did not arrive, or may not have, with what to do: the first thing that a reader wants to know. */
export function Outcome(view: MessageView) {
  const { message, isOwner } = view
  if (!maySendAgain(message)) return null
  return (
    <section class={message.status === 'failed' ? 'fault' : 'fault waiting'} aria-label="Outcome">
      <Why message={message} />
      {isOwner && <SendAgain {...view} />}
    </section>
  )
}

function SendOptions({ message: { clientRef, expiresAt } }: { message: Message }) {
  return (
    <>
      {clientRef !== null && (
        <p>
          Client reference: <UserText>{clientRef}</UserText>
        </p>
      )}
      {expiresAt !== null && (
        <p>
          Expires if not sent by <Time at={expiresAt} />.
        </p>
      )}
    </>
  )
}

function Scheduled({ message: { dueAt } }: { message: Message }) {
  return (
    <Step title="Scheduled">
      <p>
        Will be sent on <Time at={dueAt} />.
      </p>
    </Step>
  )
}

/** Shows the forms that give a waiting message another time, or cancel it. */
function Later({ page, message: { id, attemptCount } }: MessageView) {
  const action = `${messagePath(id)}/reschedule`
  return (
    <>
      {attemptCount === 0 && (
        // What is typed and chosen here stays when the page is updated.
        <details
          id="reschedule"
          class="confirm"
          open={page.fault?.action === action}
          {...{ 'data-hx-morph-skip': '' }}
        >
          <summary>Reschedule</summary>
          <Form page={page} action={action}>
            <SendTime isRequired />
            <button type="submit">Save</button>
          </Form>
        </details>
      )}
      <Confirm
        page={page}
        action={`${messagePath(id)}/cancel`}
        label="Cancel message"
        consequence="The message will not be sent. It is marked as failed (cancelled)."
        button="Cancel message"
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
        ) : media.some(({ status }) => status !== 'stored') ? (
          'Its media are still being copied.'
        ) : (
          <WaitWords {...view} />
        )}{' '}
        Next check: <Time at={dueAt} />.
      </p>
      {attemptCount > 0 && <p>{countOf(attemptCount, 'attempt')} so far.</p>}
      {isOwner && mayTryMessageNow(view) && (
        <ActButton page={page} action={`${messagePath(id)}/try-now`} label="Retry now" look="secondary" />
      )}
    </Step>
  )
}

/** Describes the rule that holds it back now, in the order in which a worker checks them. */
function WaitWords({ wait, obstacles: { pausedUntil }, isOwner }: MessageView) {
  if (pausedUntil !== null) return <>Until the pause above ends.</>
  if (wait === undefined) return <>Waiting for its turn.</>
  const { earlierId, numberLimit, numberOpensAt, lineLimit, lineOpensAt, messagesPerSecond } = wait
  if (earlierId !== null) {
    const earlier = 'an earlier message to the same number'
    return (
      <>
        Waiting for {isOwner ? <a href={messagePath(earlierId)}>{earlier}</a> : earlier}, because they are
        sent in order.
      </>
    )
  }
  if (numberOpensAt !== null) {
    return (
      <>
        Rate limit: the line sends at most {numberLimit} a minute to one number. The next one is sent at{' '}
        <Time at={numberOpensAt} />.
      </>
    )
  }
  if (lineOpensAt !== null) {
    return (
      <>
        Rate limit: the line sends at most {lineLimit} a minute. The next one is sent at{' '}
        <Time at={lineOpensAt} />.
      </>
    )
  }
  if (messagesPerSecond !== null) {
    return <>Waiting for its turn: the carrier account accepts {messagesPerSecond} a second.</>
  }
  return <>Waiting for its turn. No rate limit applies.</>
}

/** The sentence continues with "has been paused". */
const PAUSED_WORDS: Record<MessageView['pauses'][number]['what'], string> = {
  line: 'Sending from this line',
  account: "Sending through this line's carrier account",
  all: 'All sending',
}

function Paused({ pauses }: Pick<MessageView, 'pauses'>) {
  return (
    <Step title="Waiting: sending is paused">
      {pauses.map(({ what, since, isByOwner }) => (
        <p key={what} class="fault">
          {PAUSED_WORDS[what]} has been paused since <Time at={since} />{' '}
          {pauserWords(isByOwner ? 'owner' : 'operator')}.
        </p>
      ))}
      <p>The message is sent when sending resumes, unless it expires first.</p>
    </Step>
  )
}

function Waited({ message: { createdAt, sendAt, claimedAt, attemptCount } }: { message: Message }) {
  if (claimedAt === null) return null
  const ms = claimedAt.getTime() - Math.max(createdAt.getTime(), sendAt?.getTime() ?? 0)
  const until = attemptCount > 1 ? 'until the last attempt' : 'for its turn'
  return <Step title={`Waited ${formatDuration(ms)} ${until}`} />
}

function AtCarrier({ message }: { message: Message }) {
  const { claimedAt, attemptCount, carrierMessageId, status, carrierAccount } = message
  return (
    <Step title="Handed to the carrier" at={claimedAt}>
      <PassedOver message={message} />
      <p>
        {carrierAccount !== null && `Account: ${carrierAccount}. `}
        {countOf(attemptCount, 'attempt')}
        {status === 'sending' && "; waiting for the carrier's response"}.
        {carrierMessageId !== null && (
          <>
            {' '}
            Carrier message ID: <ShortId id={carrierMessageId} what="the carrier's id" />
          </>
        )}
      </p>
    </Step>
  )
}

/** Lists the routes that did not take it. */
function PassedOver({ message: { passedOver } }: { message: Message }) {
  return Object.entries(passedOver ?? {}).map(([account, reason]) => (
    <p key={account}>{passedOverWords(account, reason)}</p>
  ))
}

function passedOverWords(account: string, reason: string): string {
  switch (reason) {
    case 'account_paused':
      return `${account} was skipped because it was paused.`
    case 'account_avoided':
      return `${account} was skipped because it had just failed.`
    default:
      return `${account} did not accept it. ${explainFailure(reason)}`
  }
}

/** Shows how it ended, or what is still missing. */
function End({ message }: { message: Message }) {
  const { status, receiptAt } = message
  switch (status) {
    case 'sent':
      return receiptAt === null ? (
        <Step title="No receipt yet: the carrier has not confirmed delivery" />
      ) : (
        <Step title="Receipt: in transit, delivery not confirmed yet" at={receiptAt} />
      )
    case 'delivered':
      return <Step title="Receipt: delivered" at={receiptAt} />
    case 'failed':
      return <Step title={receiptAt === null ? 'Failed' : 'Receipt: failed'} at={receiptAt} mood="bad" />
    case 'unknown':
      return <Step title="Unknown: the carrier never confirmed whether it was sent" mood="waiting" />
    case 'scheduled':
    case 'queued':
    case 'sending':
    case 'received':
      return null
  }
}

function Why({ message: { error, carrierCode, carrierReason, carrierKind } }: { message: Message }) {
  const meaning = explainCarrierCode(carrierKind, carrierCode, carrierReason)
  return (
    <>
      {error !== null && (
        <p>
          <strong>{explainFailure(error)}</strong>
        </p>
      )}
      {meaning !== null && <p>{meaning.text}</p>}
      {carrierCode !== null && (
        <p>
          Carrier code: <code>{carrierCode}</code>
        </p>
      )}
    </>
  )
}

function SendAgain({ page, message: { id, status }, key }: MessageView) {
  const action = `${messagePath(id)}/send-again`
  const keyField = <input type="hidden" name="key" value={key} />
  if (status === 'unknown') {
    return (
      <Confirm
        page={page}
        action={action}
        label="Resend"
        consequence="This message may have arrived already. If you resend it, it may arrive twice."
        button="Resend"
      >
        {keyField}
      </Confirm>
    )
  }
  return (
    <Form page={page} action={action} class="inline">
      {keyField}
      <button type="submit">Resend</button>
    </Form>
  )
}
