import type { ComponentChildren } from 'preact'
import { pagePath } from '../../simulator/paths.js'
import { TRIAL_NUMBER } from './curl.js'
import { hasPhones, type LineView } from './view.js'

/** For a line on which nothing has happened yet: what to do, in order, with what is done ticked off. */
export function QuickStart({ view }: { view: LineView }) {
  const { line, connection, path } = view
  if (line.lastActivityAt !== null || line.status === 'disabled') return null
  const { enabled, incomingWebhook, outgoingWebhookUrl } = connection
  return (
    <section class="start" aria-labelledby="start-title">
      <h2 id="start-title">Get started</h2>
      <ol class="steps">
        <Step isDone={enabled}>
          <a href="#connection">Enable the developer connection</a>, so that your programs may use this line.
        </Step>
        <Step isDone={incomingWebhook !== null}>
          <a href="#incoming-webhook">Create the incoming webhook</a>: the URL with which they send messages.
        </Step>
        <Step isDone={false}>
          Try it:{' '}
          <a href={`${incomingWebhook === null ? '' : `${path}?show=webhook`}#incoming-webhook`}>
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
          <a href="#outgoing-webhook">Give the URL of your own server</a>: what the line receives is posted
          there. Send it a test event{hasPhones(view) && ', or write to the line from the phone simulator'}.
        </Step>
      </ol>
    </section>
  )
}

function Step({ isDone, children }: { isDone: boolean; children: ComponentChildren }) {
  return (
    <li class={isDone ? 'done' : ''}>
      {children} {isDone && <span class="badge good">done</span>}
    </li>
  )
}
