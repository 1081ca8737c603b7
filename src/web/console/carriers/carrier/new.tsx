import type { Context as KoaContext, Middleware } from 'koa'
import { addCarrierAccount } from '../../../../domain/carriers/carrier-accounts.js'
import { getCarrierKind } from '../../../../domain/carriers/accounts/kinds.js'
import { listSettingFields, showSettings } from '../../../../domain/carriers/accounts/settings.js'
import type { Context } from '../../../../domain/context.js'
import { KindLinks } from '../carriers.js'
import { fieldOf, queryOf } from '../../form-values.js'
import { Field, Form } from '../../form.js'
import { Layout } from '../../layout.js'
import { withNotice } from '../../notices.js'
import { answerPage, pageOf, type Act, type Page } from '../../page.js'
import { PageHead } from '../../parts/page-head.js'
import { isConfirmed } from '../../people/session.js'
import { AccountFields, SettingFields, typedAccountFields, typedSettings } from './fields-form.js'
import { carrierPath, CARRIERS } from './page-model.js'

const NEW = `${CARRIERS}/new`

/** Shows operators the form to add an account; its fields depend on the kind. */
export function showNewCarrier(context: Context): Middleware {
  return (ctx) => {
    const kind = kindOf(ctx)
    // The password is asked for before the form is shown, because its secrets would have to be typed again otherwise.
    if (kind !== '' && ctx.method === 'GET' && !isConfirmed(ctx)) return Promise.resolve()
    const page = pageOf(ctx, context)
    answerPage(
      ctx,
      <Layout page={page} title="Add a carrier account">
        <PageHead crumbs={[['Carriers', CARRIERS]]} title="Add a carrier account" />
        {kind === '' ? (
          <KindLinks context={context} />
        ) : (
          <NewForm page={page} context={context} kind={kind} />
        )}
      </Layout>,
    )
    return Promise.resolve()
  }
}

function NewForm({ page, context, kind }: { page: Page; context: Context; kind: string }) {
  const definition = getCarrierKind(context, kind)
  return (
    <Form page={page} action={NEW}>
      <input type="hidden" name="kind" value={kind} />
      <p>For {definition.title}. Secrets are encrypted and never shown again.</p>
      <Field
        name="name"
        label="Name"
        hint="Lowercase letters, digits and dashes. It cannot be changed later, because lines refer to it."
        value={kind}
        required
        more={{ maxlength: 40, pattern: '[a-z0-9][a-z0-9\\-]*' }}
      />
      <SettingFields settings={showSettings(definition, {})} />
      <AccountFields account={definition.defaults} />
      <button type="submit" class="primary">
        Add account
      </button>
    </Form>
  )
}

export function postCarrier(context: Context): Act {
  return async (ctx) => {
    const kind = kindOf(ctx)
    const fields = listSettingFields(getCarrierKind(context, kind))
    const { id } = await addCarrierAccount(context, {
      name: fieldOf(ctx, 'name').trim(),
      kind,
      settings: typedSettings(ctx, fields),
      ...typedAccountFields(ctx),
    })
    return withNotice(carrierPath(id), 'carrier-added')
  }
}

/** Returns the kind that the form names, or the link that led here. */
function kindOf(ctx: KoaContext): string {
  return ctx.method === 'POST' ? fieldOf(ctx, 'kind') : queryOf(ctx, 'kind')
}
