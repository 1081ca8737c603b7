import {
  createIncomingWebhook,
  regenerateToken,
  removeIncomingWebhook,
  type IncomingWebhook as Webhook,
} from '../../../../domain/lines/incoming-webhooks.js'
import { pagePath } from '../../../simulator/paths.js'
import { fieldOf, seenOf } from '../../form-values.js'
import { ActButton, Confirm, Seen, Select, Time } from '../../form.js'
import { Copyable, Masked } from '../../secret.js'
import { NeedsSignIn } from '../../portal/needs-sign-in.js'
import { TRIAL_NUMBER } from '../start/sample.js'
import { Samples } from '../start/samples.js'
import { sendSamples } from '../start/send-samples.js'
import { startPath } from '../start/steps.js'
import { lineAct } from './act.js'
import { hasPhones, NeedsConnection, Section, tabPath, type LineView } from './section.js'

const ID = 'incoming-webhook'

const OVERLAPS = [
  ['0', 'immediately'],
  ['600', 'in 10 minutes'],
  ['3600', 'in 1 hour'],
  ['86400', 'in 24 hours'],
] as const

/** @param props.webhook the webhook with its token, only if it was requested */
export function IncomingWebhook(props: { view: LineView; webhook: Webhook | undefined; maskedUrl: string }) {
  const { view, webhook, maskedUrl } = props
  const { page, connection, path } = view
  const action = `${path}/${ID}`
  const exists = connection.incomingWebhook !== null
  const mayCreate = !exists && connection.enabled && !page.isPortal
  const offers = exists ? [`${action}/regenerate`] : mayCreate ? [action] : []
  return (
    <Section view={view} id={ID} title="Incoming webhook" offers={offers}>
      <p>
        POST a message to this URL to send it from this line. Keep the URL secret.
        {!page.isPortal && (
          <>
            {' '}
            <a href={`${startPath(view.line.id)}?show=send#send`}>Code samples</a>
          </>
        )}
      </p>
      {exists && (
        <>
          {page.isPortal ? (
            <NeedsSignIn what="see its URL or replace it" />
          ) : webhook === undefined ? (
            <Masked
              path={tabPath(view.line.id, 'send')}
              section={ID}
              text={`${maskedUrl}?token=••••`}
              show="webhook"
              button="Show URL"
            />
          ) : (
            <Shown view={view} {...webhook} />
          )}
          <Facts view={view} />
          {!page.isPortal && <Regenerate view={view} action={`${action}/regenerate`} />}
        </>
      )}
      {mayCreate && <ActButton page={page} action={action} label="Create incoming webhook" />}
      {!exists && connection.enabled && page.isPortal && <NeedsSignIn what="create one" />}
      {!exists && !connection.enabled && <NeedsConnection view={view} />}
    </Section>
  )
}

function Shown({ view, url }: { view: LineView; url: string }) {
  const { connection, line } = view
  const isOpen = connection.enabled && line.status === 'active'
  return (
    <>
      <h3>URL</h3>
      <Copyable id="webhook-url" text={url} what="the URL" />
      <h3>Try it</h3>
      <Samples id="webhook" samples={sendSamples({ url, toNumber: TRIAL_NUMBER, text: 'Hello' })} />
      {isOpen && (
        <p>
          The response is {'{"success":true}'}.{' '}
          {hasPhones(view) ? (
            <>
              The text arrives on the <a href={pagePath([TRIAL_NUMBER])}>phone simulator</a>. You can reply
              from there.
            </>
          ) : (
            'Replace the number with your own first.'
          )}
        </p>
      )}
    </>
  )
}

function Facts({ view: { connection, line } }: { view: LineView }) {
  const { incomingWebhook: webhook, enabled } = connection
  if (webhook === null) return null
  return (
    <>
      {(!enabled || line.status === 'disabled') && (
        <p class="fault">
          The URL currently returns 404 because{' '}
          {enabled ? 'the line is disabled' : 'the developer connection is off'}.
        </p>
      )}
      <p class="muted">
        Created <Time at={webhook.createdAt} />
        {webhook.regeneratedAt !== null && (
          <>
            , regenerated <Time at={webhook.regeneratedAt} />
          </>
        )}
        .
      </p>
      {webhook.previousTokenUntil !== null && (
        <p>
          The previous URL also works until <Time at={webhook.previousTokenUntil} />.
        </p>
      )}
    </>
  )
}

function Regenerate({ view: { page, connection }, action }: { view: LineView; action: string }) {
  return (
    <Confirm
      page={page}
      action={action}
      label="Regenerate token"
      consequence={
        'The URL gets a new token. The current URL keeps working for the time you choose. While an earlier one still works, ' +
        'the only choice is to end both immediately.'
      }
      button="Regenerate"
    >
      <Select name="overlapSeconds" label="Current token expires" options={OVERLAPS} value="0" />
      <Seen at={connection.incomingWebhook?.regeneratedAt ?? null} />
    </Confirm>
  )
}

/** Shows the webhook's section on the tab for acts that cannot be undone. */
export function DeleteIncomingWebhook({ view }: { view: LineView }) {
  const action = `${view.path}/${ID}/delete`
  const exists = view.connection.incomingWebhook !== null
  return (
    <Section view={view} id={ID} title="Incoming webhook" offers={exists ? [action] : []}>
      {exists ? (
        <>
          <p class="muted">
            Deleting it stops your programs from sending with this URL. Nothing else changes.
          </p>
          <Confirm
            page={view.page}
            action={action}
            label="Delete incoming webhook"
            consequence="The URL returns 404 from now on and never works again. You can create a new one at any time."
            button="Delete incoming webhook"
          />
        </>
      ) : (
        <p class="empty">No incoming webhook.</p>
      )}
    </Section>
  )
}

/** Leads to the page that shows the URL, which asks for the password first if that was not given recently. */
export const postIncomingWebhook = lineAct('webhook-created', createIncomingWebhook, 'webhook')

export const postRegenerate = lineAct(
  'webhook-regenerated',
  (context, userId, lineId, ctx) =>
    regenerateToken(context, userId, lineId, Number(fieldOf(ctx, 'overlapSeconds') || 0), seenOf(ctx)),
  'webhook',
)

export const postDeleteIncomingWebhook = lineAct('webhook-deleted', removeIncomingWebhook)
