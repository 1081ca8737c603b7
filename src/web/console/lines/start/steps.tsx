import type { ComponentChildren } from 'preact'
import { countDone, STEP_COUNT, type FirstSteps } from '../../../../domain/lines/first-steps.js'
import { canReceive } from '../../../../domain/lines/senders.js'
import { senderKindOf } from '../../../../kit/text/sender-kind.js'
import type { OwnLine } from '../../../../database/lines/lines.js'
import { explainFailure } from '../../endpoints/failures.js'
import { LivePiece } from '../../parts/live-piece.js'
import { linePath, tabPath } from '../line/section.js'
import { PhoneNumber } from '../../messages/phone-number.js'

/** Returns the page that shows the steps with everything that they need. */
export function startPath(lineId: string): string {
  return `${linePath(lineId)}/start`
}

/** Shows the steps with the finished ones ticked off; they keep themselves up to date. */
export function LiveSteps({ line, steps }: { line: OwnLine; steps: FirstSteps }) {
  return (
    <LivePiece at={`${startPath(line.id)}/live`}>
      <Steps line={line} steps={steps} />
    </LivePiece>
  )
}

/** The link is shown until all of them are done. */
export function FirstStepsLink({ line, steps }: { line: OwnLine; steps: FirstSteps }) {
  if (isAllDone(line, steps) || line.status === 'disabled') return null
  return (
    <p>
      <a href={startPath(line.id)}>Get started</a> with <PhoneNumber number={line.number} />
      {isRepliedTo(line) && `: ${countDone(steps)} of ${STEP_COUNT} steps done`}.
    </p>
  )
}

/** False for a line that sends under a name: nobody can reply to it, so it only has the first step. */
function isRepliedTo({ number }: OwnLine): boolean {
  return canReceive(senderKindOf(number))
}

function isAllDone(line: OwnLine, steps: FirstSteps): boolean {
  return isRepliedTo(line) ? countDone(steps) === STEP_COUNT : steps.hasSent
}

export function Steps({ line, steps }: { line: OwnLine; steps: FirstSteps }) {
  const path = startPath(line.id)
  return (
    <>
      <ol class="steps">
        <Step isDone={steps.hasSent}>
          <a href={`${path}?show=send#send`}>Send a message</a> from <PhoneNumber number={line.number} /> with
          one request, in the language of your choice.
        </Step>
        {isRepliedTo(line) && (
          <>
            <Step isDone={steps.hasReceived}>
              <a href={`${path}#receive`}>Receive a message</a>: text <PhoneNumber number={line.number} />.
            </Step>
            <Step isDone={steps.hasDelivered}>
              <a href={`${path}?show=receive#connect`}>Connect your server</a>:{' '}
              <NewestEvent line={line} steps={steps} />
            </Step>
          </>
        )}
      </ol>
      <p class="muted">
        {isAllDone(line, steps) ? 'All done.' : `${progressWords(line, steps)}Updates automatically.`}
      </p>
    </>
  )
}

function progressWords(line: OwnLine, steps: FirstSteps): string {
  return isRepliedTo(line) ? `${countDone(steps)} of ${STEP_COUNT} done. ` : ''
}

function Step({ isDone, children }: { isDone: boolean; children: ComponentChildren }) {
  return (
    <li class={isDone ? 'done' : ''}>
      {children} {isDone && <span class="unseen">done</span>}
    </li>
  )
}

/** Describes the result of the newest event, and how to fix it. */
function NewestEvent({ line, steps: { newestEvent } }: { line: OwnLine; steps: FirstSteps }) {
  if (newestEvent?.status === 'held') {
    return (
      <>
        an event is held because the URL is disabled. See{' '}
        <a href={tabPath(line.id, 'receive')}>where events are sent</a>.
      </>
    )
  }
  return <>{whatWasSeen(newestEvent)}</>
}

function whatWasSeen(newestEvent: FirstSteps['newestEvent']): string {
  if (newestEvent === null) return 'no incoming message has been sent to it yet. Test events do not count.'
  const { status, responseStatus, durationMs, failure, isSample } = newestEvent
  if (isSample) return 'so far, events go to the sample receiver. Enter the URL of your own server.'
  const took = durationMs === null ? '' : ` in ${durationMs} ms`
  if (status === 'delivered') return `your server returned HTTP ${responseStatus ?? '2xx'}${took}.`
  return failure === null
    ? 'an event is on its way.'
    : `the latest event was not delivered${took === '' ? '' : `; the attempt ended${took}`}. ${explainFailure(failure)}`
}
