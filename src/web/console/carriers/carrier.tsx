import type { Context as KoaContext, Middleware } from 'koa'
import { getCarrierAccountById, removeCarrierAccount } from '../../../domain/carriers/carrier-accounts.js'
import { isSimulator } from '../../../domain/carriers/accounts/kinds.js'
import { listAccountNumbers, type AccountNumber } from '../../../domain/carriers/accounts/numbers.js'
import { getCarrierAccountOverview } from '../../../domain/carriers/accounts/overview.js'
import type { Context } from '../../../domain/context.js'
import { countOf } from '../../../domain/operating/overview/figures.js'
import { UserError } from '../../../errors.js'
import { actAt } from '../act.js'
import { Callbacks, loadCallbacks } from './carrier/callbacks.js'
import type { Imported } from './carrier/import.js'
import { Numbers } from './carrier/numbers.js'
import { carrierPath, CARRIERS, type CarrierView } from './carrier/page-model.js'
import { Sending } from './carrier/sending.js'
import { Sessions } from './carrier/sessions.js'
import { Settings } from './carrier/settings.js'
import { Test, type Tested } from './carrier/test.js'
import { idOf, queryOf } from '../form-values.js'
import { Confirm, Refusal } from '../form.js'
import { Layout } from '../layout.js'
import { answerPage, pageOf, shownOnce } from '../page.js'
import { PageHead } from '../parts/page-head.js'
import { isConfirmed } from '../people/session.js'

/** The sections with secrets, which are shown or can be changed. */
const NEEDS_CONFIRMING = ['settings', 'callbacks']

/** Shows operators one account at a carrier, without its secrets. */
export function showCarrier(context: Context): Middleware {
  return async (ctx) => {
    const { imported, tested } = shownOnce<{ imported: Imported; tested: Tested }>(ctx)
    const view = await loadView(context, ctx)
    const { page, account, path, isFixed, fault } = view
    const show = ctx.method === 'GET' ? queryOf(ctx, 'show') : ''
    // The password is asked for before the form is shown, because what was typed would be lost otherwise.
    if (NEEDS_CONFIRMING.includes(show) && !isConfirmed(ctx, `${ctx.url}#${show}`)) return
    const isEdited = !isFixed && (show === 'settings' || page.fault?.action === `${path}/settings`)
    const wantsNumbers =
      show === 'numbers' || imported !== undefined || page.fault?.action === `${path}/import`
    const loaded = wantsNumbers ? await loadNumbers(context, view) : undefined
    const callbacks = await loadCallbacks(context, account)
    answerPage(
      ctx,
      <Layout page={page} title={account.name}>
        <div class="line sections">
          <div>
            <PageHead
              crumbs={[['Carriers', CARRIERS]]}
              title={account.name}
              beside={
                <span class="muted">
                  {account.title} · {countOf(account.lineCount, 'line')}
                </span>
              }
            />
            <Refusal fault={fault} />
          </div>
          <Sending view={view} />
          <Sessions view={view} />
          <Test view={view} tested={tested} />
          <Callbacks account={account} path={path} isShown={show === 'callbacks'} {...callbacks} />
          <Settings view={view} isEdited={isEdited} />
          {!isFixed && <Numbers view={view} loaded={loaded} imported={imported} />}
          {!isFixed && <Remove view={view} />}
        </div>
      </Layout>,
    )
  }
}

/** @throws UserError 404 */
async function loadView(context: Context, ctx: KoaContext): Promise<CarrierView> {
  const overview = await getCarrierAccountOverview(context, idOf(ctx, 'accountId'))
  const { account } = overview
  return {
    ...overview,
    page: pageOf(ctx, context),
    path: carrierPath(account.id),
    isFixed: isSimulator(account),
  }
}

async function loadNumbers(context: Context, { account }: CarrierView): Promise<AccountNumber[] | string> {
  try {
    return await listAccountNumbers(context, account)
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

function Remove({ view: { page, path, account } }: { view: CarrierView }) {
  return (
    <section id="remove" aria-labelledby="remove-title">
      <h2 id="remove-title">Remove</h2>
      {account.lineCount > 0 ? (
        <p>An account with lines cannot be removed.</p>
      ) : (
        <Confirm
          page={page}
          action={`${path}/remove`}
          label="Remove account"
          consequence="Its credentials are deleted from this service. Nothing changes at the carrier."
          button="Remove account"
        />
      )}
    </section>
  )
}

export const postCarrierRemoval = actAt(CARRIERS, 'carrier-removed', async (context, _userId, ctx) =>
  removeCarrierAccount(context, await getCarrierAccountById(context, idOf(ctx, 'accountId'))),
)
