import { ACCOUNT_EVENT_TYPES, EVENT_TYPES, LINE_EVENT_TYPES, type EventType } from '../../../event-types.js'
import type { Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { exampleBody } from '../../openapi/event-types.js'
import { Layout } from '../layout.js'
import { answerPage, pageOf } from '../page.js'
import { PageHead } from '../parts/page-head.js'
import { OPERATIONAL } from '../people/settings/operational-webhooks.js'

/** Shows every type of event: when it is sent, an example, and its schema. */
export function showEvents(context: Context): Middleware {
  return (ctx) => {
    answerPage(
      ctx,
      <Layout page={pageOf(ctx, context)} title="Events">
        <PageHead title="Events" />
        <p>
          Sent as signed requests to the endpoints of {context.vocabulary.word}s and applications. This is the
          default body; an endpoint can choose another format. For details, see <a href="/docs">the API</a>.
        </p>
        <div>
          {LINE_EVENT_TYPES.map((type) => (
            <Event key={type} type={type} body={exampleBody(type, context.vocabulary)} />
          ))}
        </div>
        <h2>Notifications</h2>
        <p>
          Sent to the <a href={OPERATIONAL}>operational webhooks</a> of an account.
        </p>
        <div>
          {ACCOUNT_EVENT_TYPES.map((type) => (
            <Event key={type} type={type} body={exampleBody(type, context.vocabulary)} />
          ))}
        </div>
      </Layout>,
    )
    return Promise.resolve()
  }
}

function Event({ type, body }: { type: EventType; body: string }) {
  const { label, when } = EVENT_TYPES[type]
  return (
    <details id={type} class="row">
      <summary>
        <span>
          {label} <code>{type}</code>
          <small>Sent when {when}.</small>
        </span>
      </summary>
      <pre tabIndex={0}>
        <code>{JSON.stringify(JSON.parse(body), null, 2)}</code>
      </pre>
      <p>
        <a href={`/schemas/${type}.json`}>JSON Schema of {type}</a>
      </p>
    </details>
  )
}
