import type { Context } from '../../../../domain/context.js'
import { makeRecoveryCodes } from '../../../../domain/people/second-factors.js'
import { Confirm } from '../../form.js'
import type { Act, Page } from '../../page.js'
import { Copyable } from '../../secret.js'
import { sessionOf } from '../session.js'
import { SECOND_FACTOR } from './path.js'

const ACTION = `${SECOND_FACTOR}/recovery-codes`

/** The codes in the one answer that shows them. */
export interface ShownRecoveryCodes {
  recoveryCodes: string[]
}

export function NewRecoveryCodes({ codes, next }: { codes: string[]; next: string }) {
  return (
    <section id="new-recovery-codes">
      <div role="status" class="notice">
        <p>
          These are your recovery codes. Each of them signs you in once, if you have lost everything else.
          They are shown only now: print them, or keep them where your password is not.
        </p>
        <Copyable id="recovery-codes-text" text={codes.join('\n')} what="the recovery codes" />
      </div>
      <p>
        <a href={next} role="button">
          I have kept them: go on
        </a>
      </p>
    </section>
  )
}

export function RecoveryCodes({ page, count }: { page: Page; count: number }) {
  return (
    <section id="recovery-codes">
      <h2>Recovery codes</h2>
      <p>
        {count === 0 ? 'You have used them all' : `${count} of them are left`}. Each signs you in once, in
        place of a code of the app.
      </p>
      <Confirm
        page={page}
        action={ACTION}
        label="Make ten new ones…"
        consequence="Those that you have count no more."
        button="Make new recovery codes"
      />
    </section>
  )
}

export function postRecoveryCodes(context: Context): Act {
  return async (ctx) => {
    return { shown: { recoveryCodes: await makeRecoveryCodes(context, sessionOf(ctx).userId) } }
  }
}
