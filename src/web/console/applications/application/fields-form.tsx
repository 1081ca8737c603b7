import { OPT_IN_EVENT_TYPES } from '../../../../event-types.js'
import type { Context as KoaContext } from 'koa'
import { MAX_DESCRIPTION_LENGTH } from '../../../../domain/applications/application-fields.js'
import {
  getApplication,
  updateApplication,
  type Application,
} from '../../../../domain/applications/applications.js'
import type { Context } from '../../../../domain/context.js'
import { MAX_NAME_LENGTH } from '../../../../domain/names.js'
import { OptInEvents } from '../../endpoints/opt-in-events.js'
import { fieldOf, idOf, valuesOf } from '../../form-values.js'
import { Field, Form, TextArea } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act } from '../../page.js'
import { sessionOf } from '../../people/session.js'
import { applicationPath, type ApplicationView } from './page-model.js'

/** Shows the fields of an application, to register or to edit it. */
export function ApplicationFields({ application }: { application?: Application }) {
  const field = (name: 'name' | 'website' | 'webhookUrl') => ({
    name,
    autocomplete: 'off',
    value: application?.[name] ?? undefined,
  })
  return (
    <>
      <Field
        {...field('name')}
        label="Name"
        hint="Shown to users when they are asked to authorize the application."
        required
        more={{ maxlength: MAX_NAME_LENGTH }}
      />
      <TextArea
        name="description"
        label="Description"
        hint="What the application does, in a sentence or two. Optional."
        rows={2}
        value={application?.description ?? ''}
        more={{ maxlength: MAX_DESCRIPTION_LENGTH }}
      />
      <Field {...field('website')} label="Website" type="url" hint="Optional." />
      <TextArea
        name="redirectUris"
        label="Redirect URIs"
        hint={
          'Where users return after authorizing. One per line, up to 10, exactly as the application sends them: ' +
          'https://, a custom app scheme, or http:// for localhost only.'
        }
        rows={3}
        value={application?.redirectUris.join('\n') ?? ''}
        required
      />
      <Field
        {...field('webhookUrl')}
        label="Webhook URL"
        type="url"
        hint="Receives the events of connected lines. Leave empty for no events."
      />
      <OptInEvents types={OPT_IN_EVENT_TYPES} chosen={application?.optInEvents ?? []} />
    </>
  )
}

export function typedApplication(ctx: KoaContext) {
  return {
    name: fieldOf(ctx, 'name'),
    description: fieldOf(ctx, 'description'),
    website: fieldOf(ctx, 'website'),
    redirectUris: fieldOf(ctx, 'redirectUris').split(/\r?\n/),
    webhookUrl: fieldOf(ctx, 'webhookUrl'),
    optInEvents: valuesOf(ctx, 'optInEvents'),
  }
}

export function Edit({ view: { page, application, path } }: { view: ApplicationView }) {
  const action = `${path}/fields`
  return (
    <section id="fields">
      <details open={page.fault?.action === action}>
        <summary>Edit</summary>
        <Form page={page} action={action}>
          <ApplicationFields application={application} />
          <button type="submit">Save</button>
        </Form>
      </details>
    </section>
  )
}

/** A webhook URL that is only saved along with the rest stays as it is, disabled or not. */
export function postFields(context: Context): Act {
  return async (ctx) => {
    const id = idOf(ctx, 'applicationId')
    const { webhookUrl, ...fields } = typedApplication(ctx)
    const { userId } = sessionOf(ctx)
    const isSame = webhookUrl.trim() === (await getApplication(context, userId, id)).webhookUrl
    await updateApplication(context, userId, id, isSame ? fields : { ...fields, webhookUrl })
    return withNotice(applicationPath(id), 'application-saved')
  }
}
