import type { Context as KoaContext } from 'koa'
import type { Context } from '../../../../domain/context.js'
import { makeRecoveryCodes } from '../../../../domain/people/second-factors.js'
import { nextOf } from '../../form-values.js'
import { Confirm } from '../../form.js'
import type { Act, Page, ShownOnce } from '../../page.js'
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
          These are your recovery codes. Each one signs you in once if you lose your second factor. They are
          not shown again: print them, or store them apart from your password.
        </p>
        <Copyable id="recovery-codes-text" text={codes.join('\n')} what="the recovery codes" />
      </div>
      <p>
        <a href={next} role="button">
          I have saved them. Continue
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
        {count === 0 ? 'You have used all of them' : `${count} left`}. Each one signs you in once, instead of
        a code from the app.
      </p>
      <Confirm
        page={page}
        action={ACTION}
        label="Create ten new codes"
        consequence="Your current codes stop working."
        button="Create new codes"
      />
    </section>
  )
}

/** Shows new codes on their page, which leads on to where the user wanted to go. */
export function recoveryCodesAt(ctx: KoaContext, recoveryCodes: string[]): ShownOnce {
  const shown: ShownRecoveryCodes = { recoveryCodes }
  return { shown, at: `${SECOND_FACTOR}?next=${encodeURIComponent(nextOf(ctx))}` }
}

export function postRecoveryCodes(context: Context): Act {
  return async (ctx) => {
    return recoveryCodesAt(ctx, await makeRecoveryCodes(context, sessionOf(ctx).userId))
  }
}
