import type { Context as KoaContext, Middleware } from 'koa'
import { getConnection, type ConnectionOverview } from '../../../domain/lines/connection-overview.js'
import { changeConnection, enableConnection } from '../../../domain/lines/connections.js'
import type { Context } from '../../../domain/context.js'
import { eventBody } from '../../../domain/endpoints/deliveries/shapes.js'
import { closeTour, getFirstSteps } from '../../../domain/lines/first-steps.js'
import { createIncomingWebhook, revealIncomingWebhook } from '../../../domain/lines/incoming-webhooks.js'
import { canReceive } from '../../../domain/lines/senders.js'
import { senderKindOf } from '../../../kit/text/sender-kind.js'
import { revealSigningSecret } from '../../../domain/endpoints/signing-secrets.js'
import { sendTestEvent, type TestEventResult } from '../../../domain/endpoints/test-event.js'
import { UserError } from '../../../errors.js'
import type { OwnLine } from '../../../database/lines/lines.js'
import { actingFor } from '../../actor.js'
import { pagePath } from '../../simulator/paths.js'
import { TestEvent, TestEventOutcome } from '../endpoints/test-event.js'
import { fieldOf, idOf, queryOf } from '../form-values.js'
import { Field, Form } from '../form.js'
import { Layout } from '../layout.js'
import { homeOf } from '../home.js'
import { withNotice } from '../notices.js'
import { askedLine } from './line/act.js'
import { hasPhones, linePath, LINES } from './line/section.js'
import { live } from '../live.js'
import { answerPage, pageOf, shownOnce, type Act, type Page } from '../page.js'
import { Copyable } from '../secret.js'
import { PageHead } from '../parts/page-head.js'
import { answerPiece } from '../parts/piece.js'
import { PhoneNumber } from '../messages/phone-number.js'
import { isConfirmed, sessionOf } from '../people/session.js'
import { RECEIVER_PORT, receiveSamples } from './start/receive-samples.js'
import { TRIAL_NUMBER } from './start/sample.js'
import { Samples } from './start/samples.js'
import { sendSamples } from './start/send-samples.js'
import { LiveSteps, startPath, Steps } from './start/steps.js'

interface View {
  page: Page
  line: OwnLine
  connection: ConnectionOverview
  /** The command that gets the line's events on the reader's machine. */
  listenCommand: string
  /** A path such as `/console/lines/…/start`. */
  path: string
}

/** Shows the first steps with a line, with code that has its real URL and secret if that was requested. */
export function showStart(context: Context): Middleware {
  return async (ctx) => {
    const line = await askedLine(context, ctx)
    const { userId } = line
    const [connection, steps] = await Promise.all([
      getConnection(context, userId, line.id),
      getFirstSteps(context, userId, line.id),
    ])
    const listenCommand = `LINEHOOK_TOKEN=lhp_… npx linehook listen ${line.id} --forward-to http://localhost:${RECEIVER_PORT} --url ${context.config.publicUrl}`
    const view = {
      page: pageOf(ctx, context),
      line,
      connection,
      listenCommand,
      path: startPath(line.id),
    }
    const isSaved = queryOf(ctx, 'done') === 'url-saved'
    const show = ctx.method === 'GET' ? queryOf(ctx, 'show') : ''
    const isSend = show === 'send' && connection.incomingWebhook !== null
    const isReceive = show === 'receive' && connection.endpoint !== null
    if (isSend && !isConfirmed(ctx, `${ctx.url}#send`)) return
    if (isReceive && !isConfirmed(ctx, `${ctx.url}#connect`)) return

    const acting = actingFor(ctx, context)
    const webhook = isSend ? await revealIncomingWebhook(acting, userId, line.id) : undefined
    const secret = isReceive
      ? await revealSigningSecret(acting, { userId }, connection.endpoint?.id ?? '')
      : undefined
    const { testEvent } = shownOnce<{ testEvent: TestEventResult }>(ctx)
    answerPage(
      ctx,
      <Layout
        page={isSaved ? { ...view.page, notice: undefined } : view.page}
        title={`Get started · ${line.name}`}
      >
        <div class="line sections">
          <PageHead
            crumbs={[
              ['Lines', LINES],
              [line.name, linePath(line.id)],
            ]}
            title="Get started"
            beside={<PhoneNumber number={line.number} />}
          />
          <div id="steps">
            <LiveSteps line={line} steps={steps} />
          </div>
          <Send view={view} url={webhook?.url} />
          <Receive view={view} />
          <Connect
            view={view}
            secret={secret}
            body={eventBody(exampleOf(line), context.vocabulary)}
            testEvent={testEvent}
            isSaved={isSaved}
          />
        </div>
      </Layout>,
    )
  }
}

export function liveStart(context: Context): Middleware {
  const look = async (ctx: KoaContext) => {
    const line = await askedLine(context, ctx)
    return <Steps line={line} steps={await getFirstSteps(context, line.userId, line.id)} />
  }
  return live(context, look, look)
}

function Send({ view, url }: { view: View; url: string | undefined }) {
  const { page, connection, path } = view
  const { enabled, incomingWebhook } = connection
  return (
    <section id="send" aria-labelledby="send-title">
      <h2 id="send-title">1. Send a message</h2>
      <p>POST to the line's incoming webhook, a secret URL, and the line sends your message.</p>
      {(!enabled || incomingWebhook === null) && (
        <Form page={page} action={`${path}/incoming-webhook`}>
          <button type="submit">
            {incomingWebhook === null ? 'Create URL' : 'Enable developer connection'}
          </button>
        </Form>
      )}
      {enabled && incomingWebhook !== null && url === undefined && (
        <Show path={path} show="send" section="send" />
      )}
      {url !== undefined && (
        <>
          <Samples id="send-code" samples={sendSamples({ url, toNumber: TRIAL_NUMBER, text: 'Hello' })} />
          <p>
            It returns {'{"success":true}'}.{' '}
            {hasPhones(view) ? (
              <>
                The message arrives on the <a href={pagePath([TRIAL_NUMBER])}>phone simulator</a>.
              </>
            ) : (
              <>First replace {TRIAL_NUMBER} with your own number.</>
            )}
          </p>
        </>
      )}
    </section>
  )
}

function Receive({ view }: { view: View }) {
  const { line } = view
  return (
    <section id="receive" aria-labelledby="receive-title">
      <h2 id="receive-title">2. Receive a message</h2>
      {canReceive(senderKindOf(line.number)) ? (
        <p>
          {hasPhones(view) ? (
            <>
              Open the <a href={pagePath([TRIAL_NUMBER])}>phone simulator</a> and send a message to{' '}
              <PhoneNumber number={line.number} />.
            </>
          ) : (
            <>
              Text <PhoneNumber number={line.number} /> from any phone.
            </>
          )}{' '}
          It appears under <a href={`/console/activity?line=${line.id}`}>Activity</a>, and your server gets an
          event.
        </p>
      ) : (
        <p>This line sends under a name, so nobody can reply to it.</p>
      )}
    </section>
  )
}

function Connect(props: {
  view: View
  secret: string | undefined
  body: string
  testEvent: TestEventResult | undefined
  isSaved: boolean
}) {
  const { view, secret, body, testEvent, isSaved } = props
  const { page, connection, path, listenCommand } = view
  const action = `${path}/outgoing-webhook`
  const url = connection.outgoingWebhookUrl
  return (
    // Such an answer is the whole page again, and the browser would show its top.
    <section
      id="connect"
      aria-labelledby="connect-title"
      {...(testEvent === undefined ? {} : { tabIndex: -1, autofocus: true })}
    >
      <h2 id="connect-title">3. Connect your server</h2>
      {isSaved && (
        <p role="status" class="notice">
          {view.page.notice}
        </p>
      )}
      <p>
        Incoming messages are posted to your URL as signed JSON, and retried for about 54 hours if your server
        does not return 2xx. The status of the latest event is shown <a href="#steps">above</a>.
      </p>
      <Form page={page} action={action} class="row">
        <Field
          name="url"
          label="Your server's URL"
          type="url"
          autocomplete="off"
          required
          value={url ?? undefined}
        />
        <button type="submit">Save URL</button>
        <small>For example https://example.com/linehook</small>
      </Form>
      <p>
        No public URL? With an <a href="/console/settings#api-tokens">API token</a>, this command in
        Linehook's folder gets the events on your machine:
      </p>
      <Copyable id="listen-command" text={listenCommand} what="the command" isScrolled />
      <div class="buttons below">
        {connection.enabled && url !== null && (
          <TestEvent page={page} action={`${path}/test-event`} result={testEvent} />
        )}
        {connection.endpoint !== null && secret === undefined && (
          <Show path={path} show="receive" section="connect" />
        )}
      </div>
      {connection.endpoint === null && (
        <p class="empty">
          Enter a URL to see sample code in six languages for a server that verifies events.
        </p>
      )}
      {secret !== undefined && (
        <>
          <p>This server accepts only requests signed with your secret, on port {RECEIVER_PORT}:</p>
          <Samples id="receive-code" samples={receiveSamples({ secret, body })} />
        </>
      )}
    </section>
  )
}

/** The code lets its reader send with the line, or make events, so it is shown only on request. */
function Show({ path, show, section }: { path: string; show: string; section: string }) {
  return (
    <form method="get" action={`${path}#${section}`} class="inline">
      <input type="hidden" name="show" value={show} />
      <button type="submit" class="secondary">
        Show code
      </button>
    </form>
  )
}

/** The event that the line would receive from the phone of the samples. */
function exampleOf(line: OwnLine) {
  return {
    eventId: line.id,
    type: 'inboundText' as const,
    payload: 'Hello',
    fromNumber: TRIAL_NUMBER,
    toNumber: line.number,
    userId: line.userId,
    lineId: line.id,
  }
}

/** These two steps always belong together here. */
export function postStartIncomingWebhook(context: Context): Act {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const lineId = idOf(ctx, 'lineId')
    await enableConnection(context, userId, lineId)
    const { incomingWebhook } = await getConnection(context, userId, lineId)
    if (incomingWebhook === null) await createIncomingWebhook(context, userId, lineId)
    return `${startPath(lineId)}?show=send#send`
  }
}

export function postStartUrl(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    const outgoingWebhookUrl = fieldOf(ctx, 'url').trim()
    if (outgoingWebhookUrl === '') throw new UserError("Enter your server's URL")
    await changeConnection(context, sessionOf(ctx).userId, lineId, { enabled: true, outgoingWebhookUrl })
    return `${withNotice(`${startPath(lineId)}?show=receive`, 'url-saved')}#connect`
  }
}

export function postStartTestEvent(context: Context): Act {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const { endpoint } = await getConnection(context, userId, idOf(ctx, 'lineId'))
    if (endpoint === null) throw new UserError('This line has no outgoing webhook URL. Set one first', 409)
    const testEvent = await sendTestEvent(context, { userId }, endpoint.id)
    return answerPiece(ctx, { testEvent }, <TestEventOutcome result={testEvent} />)
  }
}

export function postCloseTour(context: Context): Act {
  return async (ctx) => {
    const session = sessionOf(ctx)
    await closeTour(context, session.userId)
    return withNotice(homeOf(session), 'tour-closed')
  }
}
