import { getCarrierAccountById } from '../../../../domain/carriers/carrier-accounts.js'
import { setUpNumbers, type AccountNumber } from '../../../../domain/carriers/accounts/numbers.js'
import type { Context } from '../../../../domain/context.js'
import { idOf } from '../../form-values.js'
import { Form, Refusal } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act } from '../../page.js'
import { carrierPath, type CarrierView } from './page-model.js'

import { ImportOutcome, NumberList, type Imported } from './import.js'

export function Numbers(props: {
  view: CarrierView
  /** The carrier's list, for which it is asked only on request. A text is the reason why it could not be loaded. */
  loaded: AccountNumber[] | string | undefined
  imported: Imported | undefined
}) {
  const { view, loaded, imported } = props
  const { path, canListNumbers, canSetUpNumbers, account } = view
  return (
    <section id="numbers" aria-labelledby="numbers-title">
      <h2 id="numbers-title">Numbers</h2>
      {imported !== undefined && <ImportOutcome imported={imported} />}
      {typeof loaded === 'object' && <NumberList view={view} numbers={loaded} />}
      {typeof loaded === 'string' && <Refusal fault={loaded} />}
      {canListNumbers ? (
        <p>
          <a role="button" class="secondary" href={`${path}?show=numbers#numbers`}>
            Load numbers from {account.title}
          </a>
        </p>
      ) : (
        <p>
          Linehook cannot list the numbers of this account. Add each as a line under{' '}
          <a href="/console/users">Users</a>.
        </p>
      )}
      {canSetUpNumbers && account.lineCount > 0 && <SetUp view={view} />}
    </section>
  )
}

function SetUp({ view: { page, path, account } }: { view: CarrierView }) {
  return (
    <Form page={page} action={`${path}/set-up`}>
      <p>
        Once callbacks are set up, {account.title} calls this service at <code>PUBLIC_URL</code> for incoming
        messages. Set them up again after <code>PUBLIC_URL</code> changes.
      </p>
      <button type="submit" class="secondary">
        Set up callbacks
      </button>
    </Form>
  )
}

export function postCarrierSetUp(context: Context): Act {
  return async (ctx) => {
    const account = await getCarrierAccountById(context, idOf(ctx, 'accountId'))
    await setUpNumbers(context, account)
    return withNotice(carrierPath(account.id), 'carrier-numbers-set-up')
  }
}
