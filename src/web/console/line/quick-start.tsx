import type { ComponentChildren } from 'preact'
import { pagePath } from '../../simulator/paths.js'
import { TRIAL_NUMBER } from './curl.js'
import { hasPhones, sectionPath, tabPath, type LineView } from './section.js'

/** Until all of it is done: what to do, in order, with what is done ticked off. Folded where the line is in use. */
export function QuickStart({ view }: { view: LineView }) {
  const { line, connection } = view
  const { enabled, incomingWebhook, outgoingWebhookUrl } = connection
  const isUsed = line.lastActivityAt !== null
  const steps = [enabled, incomingWebhook !== null, isUsed, outgoingWebhookUrl !== null]
  const doneCount = steps.filter(Boolean).length
  if (doneCount === steps.length || line.status === 'disabled') return null
  return (
    <details class="start" open={!isUsed}>
      <summary>
        <h2>Get started</h2> {doneCount} of {steps.length} done
      </summary>
      <ol class="steps">
        <Step isDone={enabled}>
          <a href={sectionPath(line.id, 'connection')}>Enable the developer connection</a>, so that your
          programs may use this line.
        </Step>
        <Step isDone={incomingWebhook !== null}>
          <a href={sectionPath(line.id, 'incoming-webhook')}>Create the incoming webhook</a>: the URL with
          which they send messages.
        </Step>
        <Step isDone={isUsed}>
          Try it:{' '}
          <a
            href={`${tabPath(line.id, 'send')}${incomingWebhook === null ? '' : '?show=webhook'}#incoming-webhook`}
          >
            show its URL
          </a>
          , copy the curl line, and run it in a terminal.{' '}
          {hasPhones(view) ? (
            <>
              The text arrives on the <a href={pagePath([TRIAL_NUMBER])}>phone simulator</a>.
            </>
          ) : (
            'Put your own number into it first.'
          )}
        </Step>
        <Step isDone={outgoingWebhookUrl !== null}>
          <a href={sectionPath(line.id, 'outgoing-webhook')}>Give the URL of your own server</a>: what the
          line receives is posted there. Send it a test event
          {hasPhones(view) && ', or write to the line from the phone simulator'}.
        </Step>
      </ol>
    </details>
  )
}

function Step({ isDone, children }: { isDone: boolean; children: ComponentChildren }) {
  return (
    <li class={isDone ? 'done' : ''}>
      {children} {isDone && <span class="badge good">done</span>}
    </li>
  )
}
