import type { Context } from '../../../../domain/context.js'
import type { Endpoint } from '../../../../domain/endpoints/endpoints.js'
import { setLineEndpointUrl } from '../../../../domain/lines/connections.js'
import { endpointPath } from '../../endpoints/path.js'
import { EndpointState } from '../../endpoints/state.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Field, Form } from '../../form.js'
import type { Act } from '../../page.js'
import { sessionOf } from '../../people/session.js'
import { NeedsSignIn } from '../../portal/needs-sign-in.js'
import { startPath } from '../start/steps.js'
import { lineWithNotice, NeedsConnection, Section, type LineView } from './section.js'

const ID = 'outgoing-webhook'

/** @param props.endpoint undefined if there is no URL */
export function OutgoingWebhook({ view, endpoint }: { view: LineView; endpoint: Endpoint | undefined }) {
  const { page, connection } = view
  const { enabled } = connection
  const action = `${view.path}/${ID}`
  return (
    <Section view={view} id={ID} title="Outgoing webhook" offers={enabled && !page.isPortal ? [action] : []}>
      <p>
        Incoming texts, pictures, files and voicemail are posted to this URL as signed JSON.
        {!page.isPortal && (
          <>
            {' '}
            <a href={`${startPath(view.line.id)}?show=receive#connect`}>Code samples</a>
          </>
        )}
      </p>
      {!enabled && <NeedsConnection view={view} />}
      {enabled && !page.isPortal && <UrlForm view={view} action={action} />}
      {enabled && page.isPortal && <NeedsSignIn what="change the URL" />}
      {endpoint !== undefined && (
        <p>
          {(!enabled || page.isPortal) && (
            <>
              <code>{endpoint.url}</code>{' '}
            </>
          )}
          <EndpointState endpoint={endpoint} /> <a href={endpointPath(endpoint.id)}>Endpoint settings</a>
        </p>
      )}
    </Section>
  )
}

function UrlForm({ view: { page, connection }, action }: { view: LineView; action: string }) {
  const url = connection.outgoingWebhookUrl
  return (
    <Form page={page} action={action}>
      <Field
        name="url"
        label="Your server's URL"
        type="url"
        hint={
          url === null
            ? 'For example https://example.com/linehook. It should return 200 right away.'
            : 'Leave empty to stop sending events.'
        }
        autocomplete="off"
        value={url ?? undefined}
      />
      <button type="submit">Save URL</button>
    </Form>
  )
}

export function postLineEndpointUrl(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    const url = fieldOf(ctx, 'url').trim()
    await setLineEndpointUrl(context, sessionOf(ctx).userId, lineId, url === '' ? undefined : url)
    return lineWithNotice(lineId, url === '' ? 'url-removed' : 'url-saved')
  }
}
