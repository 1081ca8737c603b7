import type { Context } from '../../../../domain/context.js'
import { rotateOwnWebhookSecret, setOwnWebhook } from '../../../../domain/operating/notices/own-webhook.js'
import { fieldOf } from '../../form-values.js'
import { Confirm, Field, Form } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act, Page } from '../../page.js'
import { Copyable } from '../../secret.js'
import { sessionOf } from '../session.js'
import { SETTINGS } from './path.js'

const ACTION = `${SETTINGS}/operational-webhook`

/**
 * Where notices about what is the user's own are posted.
 *
 * @param props.secret only when it was just made
 */
export function OwnWebhook(props: { page: Page; url: string | undefined; secret: string | undefined }) {
  const { page, url, secret } = props
  return (
    <section id="operational-webhook">
      <h2>Operational webhook</h2>
      <p>
        <a href="/console/notices">Notices</a> about your lines and applications are posted to this URL too,
        as JSON and signed, so that your monitoring hears that an endpoint fails or a country is paused.
      </p>
      {secret !== undefined && (
        <div role="status" class="notice">
          <p>This secret signs them. It is shown only now:</p>
          <Copyable id="operational-secret" text={secret} what="the signing secret" />
        </div>
      )}
      <Form page={page} action={ACTION}>
        <Field
          page={page}
          action={ACTION}
          name="url"
          label="URL for notices"
          type="url"
          hint={url === undefined ? 'Such as https://example.com/alerts.' : 'Saved empty, it is removed.'}
          autocomplete="off"
          {...(url === undefined ? {} : { value: url })}
        />
        <button type="submit">Save the URL</button>
      </Form>
      {url !== undefined && (
        <Confirm
          page={page}
          action={`${ACTION}/rotate`}
          label="New secret…"
          consequence="There is a new secret, which you see at once. The old one signs nothing any more."
          button="Make a new secret"
        />
      )}
    </section>
  )
}

export function postOwnWebhook(context: Context): Act {
  return async (ctx) => {
    const url = fieldOf(ctx, 'url').trim()
    const secret = await setOwnWebhook(context, sessionOf(ctx).userId, url === '' ? undefined : url)
    if (secret !== undefined) return { shown: { operationalSecret: secret } }
    return withNotice(SETTINGS, url === '' ? 'url-removed-for-notices' : 'url-saved-for-notices')
  }
}

export function postRotateOwnWebhook(context: Context): Act {
  return async (ctx) => {
    return { shown: { operationalSecret: await rotateOwnWebhookSecret(context, sessionOf(ctx).userId) } }
  }
}
