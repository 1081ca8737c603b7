import { rotateClientSecret } from '../../../../domain/applications/applications.js'
import type { Context } from '../../../../domain/context.js'
import { idOf } from '../../form-values.js'
import { Confirm } from '../../form.js'
import type { Act } from '../../page.js'
import { Copyable } from '../../secret.js'
import { sessionOf } from '../../people/session.js'
import { applicationPath, type ApplicationView } from './page-model.js'

const ID = 'credentials'

/**
 * Shows what its program needs for OAuth.
 *
 * @param props.clientSecret set only if it was just made
 */
export function Credentials(props: {
  view: ApplicationView
  clientSecret: string | undefined
  publicUrl: string
}) {
  const { view, clientSecret, publicUrl } = props
  const { page, application, path } = view
  return (
    <section id={ID} aria-labelledby={`${ID}-title`}>
      <h2 id={`${ID}-title`}>Credentials</h2>
      <h3>Client ID</h3>
      <Copyable id="client-id" text={application.clientId} what="the client ID" />
      <h3>Client secret</h3>
      {application.kind === 'public' ? (
        <p>Public applications have no secret. They must use PKCE (S256).</p>
      ) : (
        <>
          {clientSecret === undefined ? (
            <p class="muted">The secret is shown only once, when it is created.</p>
          ) : (
            <div role="status" class="notice">
              <p>Copy the secret now. It is not shown again.</p>
              <Copyable id="client-secret" text={clientSecret} what="the client secret" />
            </div>
          )}
          <Confirm
            page={page}
            action={`${path}/client-secret/rotate`}
            label="Create new client secret"
            consequence="The current secret stops working immediately."
            button="Create new secret"
          />
        </>
      )}
      <h3>Redirect URIs</h3>
      <ul>
        {application.redirectUris.map((uri) => (
          <li key={uri}>
            <code>{uri}</code>
          </li>
        ))}
      </ul>
      <h3>OAuth endpoints</h3>
      <ul>
        <li>
          Authorization: <code>{`${publicUrl}/oauth/authorize`}</code>
        </li>
        <li>
          Token: <code>{`${publicUrl}/oauth/access`}</code>
        </li>
      </ul>
    </section>
  )
}

/** Shows a new secret once, as registration does. */
export function postClientSecret(context: Context): Act {
  return async (ctx) => {
    const applicationId = idOf(ctx, 'applicationId')
    const clientSecret = await rotateClientSecret(context, sessionOf(ctx).userId, applicationId)
    return { shown: { clientSecret }, at: applicationPath(applicationId) }
  }
}
