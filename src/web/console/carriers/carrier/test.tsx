import { getCarrierAccountById, type CarrierAccount } from '../../../../domain/carriers/carrier-accounts.js'
import { testCallbacks } from '../../../../domain/carriers/accounts/callbacks-test.js'
import { testCarrierAccount } from '../../../../domain/carriers/accounts/carrier-test.js'
import type { Context } from '../../../../domain/context.js'
import { idOf } from '../../form-values.js'
import { Form, Time } from '../../form.js'
import { answerFragment, goTo, type Act } from '../../page.js'
import { carrierPath, type CarrierView } from './page-model.js'

const RESULT_ID = 'carrier-test-result'

/** A refusal, or the sign-in page after the session's end, replaces the whole page, as for test events. */
const INLINE = {
  'data-hx-target': `#${RESULT_ID}`,
  'data-hx-swap': 'innerHTML',
  'data-hx-status-4xx': 'target:body',
  'data-hx-status-5xx': 'target:body',
}

export function Test({ view: { page, path, account } }: { view: CarrierView }) {
  const action = `${path}/test`
  return (
    <section id="test" aria-labelledby="test-title">
      <h2 id="test-title">Test</h2>
      <Form page={page} action={action} class="inline" more={{ 'data-hx-post': action, ...INLINE }}>
        <button type="submit" class="secondary">
          Test account
        </button>{' '}
        <span class="sending" aria-hidden="true">
          Testing…
        </span>
      </Form>
      <p id={RESULT_ID} role="status">
        <LastTest account={account} />
      </p>
    </section>
  )
}

export function LastTest({ account }: { account: CarrierAccount }) {
  const { lastTestedAt, lastTestFault, lastTestedVersion, version } = account
  if (lastTestedAt === null) return <span class="muted">Not tested yet</span>
  return (
    <>
      <span class={lastTestFault === null ? 'badge good' : 'badge bad'}>
        {lastTestFault === null ? 'passed' : 'failed'}
      </span>{' '}
      {lastTestFault !== null && `${lastTestFault} `}
      <span class="muted">
        (<Time at={lastTestedAt} />
        {lastTestedVersion !== version && ', before the latest changes'})
      </span>
    </>
  )
}

/** The result is kept with the account. For htmx it is the answer; otherwise the page shows it. */
export function postCarrierTest(context: Context): Act {
  return async (ctx) => {
    const account = await getCarrierAccountById(context, idOf(ctx, 'accountId'))
    const { ok } = await testCarrierAccount(context, account)
    if (ctx.get('HX-Request') === 'true') {
      const fault = ok ? await testCallbacks(context, account) : undefined
      answerFragment(
        ctx,
        <>
          <LastTest account={await getCarrierAccountById(context, account.id)} />
          {fault !== undefined && ` Incoming messages do not reach this service: ${fault}`}
        </>,
      )
    } else {
      goTo(ctx, `${carrierPath(account.id)}#test`)
    }
    return undefined
  }
}
