import { getCarrierAccountById, type CarrierAccount } from '../../../../domain/carriers/carrier-accounts.js'
import { testCallbacks } from '../../../../domain/carriers/accounts/callbacks-test.js'
import { testCarrierAccount } from '../../../../domain/carriers/accounts/carrier-test.js'
import type { Context } from '../../../../domain/context.js'
import { idOf } from '../../form-values.js'
import { Form, Time } from '../../form.js'
import type { Act } from '../../page.js'
import { answerPiece, resultIn } from '../../parts/piece.js'
import { carrierPath, type CarrierView } from './page-model.js'

const RESULT_ID = 'carrier-test-result'

/** What a page shows once, after a test without a script. */
export interface Tested {
  callbacksFault: string | undefined
}

/** @param props.tested undefined unless the test has just found that callbacks fail */
export function Test(props: { view: CarrierView; tested: Tested | undefined }) {
  const { page, path, account } = props.view
  const action = `${path}/test`
  return (
    <section id="test" aria-labelledby="test-title">
      <h2 id="test-title">Test</h2>
      <Form
        page={page}
        action={action}
        class="inline"
        more={{ 'data-hx-post': action, ...resultIn(RESULT_ID) }}
      >
        <button type="submit" class="secondary">
          Test account
        </button>{' '}
        <span class="sending" aria-hidden="true">
          Testing…
        </span>
      </Form>
      <p id={RESULT_ID} role="status">
        <LastTest account={account} />
        <CallbacksFault fault={props.tested?.callbacksFault} />
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

function CallbacksFault({ fault }: { fault: string | undefined }) {
  return fault === undefined ? null : <> Incoming messages do not reach this service: {fault}</>
}

/**
 * The account's result is kept with it, that of its callbacks is not. For htmx the results are the answer; otherwise
 * the page shows them.
 */
export function postCarrierTest(context: Context): Act {
  return async (ctx) => {
    const account = await getCarrierAccountById(context, idOf(ctx, 'accountId'))
    const { ok } = await testCarrierAccount(context, account)
    const callbacksFault = ok ? await testCallbacks(context, account) : undefined
    if (callbacksFault === undefined && ctx.get('HX-Request') !== 'true')
      return `${carrierPath(account.id)}#test`
    return answerPiece(
      ctx,
      { tested: { callbacksFault } },
      <>
        <LastTest account={await getCarrierAccountById(context, account.id)} />
        <CallbacksFault fault={callbacksFault} />
      </>,
    )
  }
}
