import type { Passkey } from '../../../../database/people/second-factors/passkeys.js'
import type { Context } from '../../../../domain/context.js'
import { MAX_NAME_LENGTH } from '../../../../domain/names.js'
import { addPasskey, beginPasskey, removePasskey } from '../../../../domain/people/second-factors/passkeys.js'
import { UserError } from '../../../../errors.js'
import { actAt } from '../../act.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Confirm, Field, Time } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act, Page } from '../../page.js'
import { browserOf, noteSecondFactor, sessionOf } from '../session.js'
import { UserText } from '../../user-text.js'
import { Table } from '../../parts/table.js'
import { credentialOf, PasskeyForm } from './passkey-form.js'
import { SECOND_FACTOR } from './path.js'
import { recoveryCodesAt } from './recovery-codes.js'

const ACTION = `${SECOND_FACTOR}/passkeys`

export function Passkeys(props: { page: Page; next: string; passkeys: Passkey[] }) {
  const { page, next, passkeys } = props
  const isPossible = page.canHavePasskeys
  return (
    <section id="passkeys">
      <h2>Passkeys</h2>
      <p>
        Your device or a security key verifies you with your fingerprint, your face or a PIN. A passkey alone
        is enough to sign in, without your password.
      </p>
      {!isPossible && (
        <p>
          Passkeys need https and a host name, which this installation's <code>PUBLIC_URL</code> does not
          have.
        </p>
      )}
      {passkeys.length > 0 && (
        <Table
          rows={passkeys}
          columns={{
            Name: ({ name }) => <UserText>{name}</UserText>,
            Added: ({ createdAt }) => <Time at={createdAt} />,
            'Last used': ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />),
          }}
          acts={({ id }) => (
            <Confirm
              page={page}
              action={`${ACTION}/${id}/remove`}
              label="Remove"
              consequence="You can no longer sign in with it. Your device may still offer it until you delete it there."
              button="Remove passkey"
            />
          )}
        />
      )}
      {isPossible && (
        <PasskeyForm page={page} action={ACTION} does="add" button="Add passkey">
          <input type="hidden" name="next" value={next} />
          <Field
            name="name"
            label="Name of the new passkey"
            hint="For example “My phone”."
            required
            more={{ maxlength: MAX_NAME_LENGTH }}
          />
        </PasskeyForm>
      )}
    </section>
  )
}

/** Answers the script. */
export function postPasskeyOptions(context: Context): Act {
  return async (ctx) => {
    if (!sessionOf(ctx).isConfirmed) throw new UserError('Confirm your password first', 403)
    ctx.body = await beginPasskey(context, sessionOf(ctx), browserOf(ctx))
    return undefined
  }
}

export function postPasskey(context: Context): Act {
  return async (ctx) => {
    const { recoveryCodes } = await addPasskey(context, sessionOf(ctx), {
      browserToken: browserOf(ctx),
      name: fieldOf(ctx, 'name'),
      written: credentialOf(ctx),
    })
    noteSecondFactor(ctx)
    return recoveryCodes === undefined
      ? withNotice(SECOND_FACTOR, 'second-factor-added')
      : recoveryCodesAt(ctx, recoveryCodes)
  }
}

export const postRemovePasskey = actAt(SECOND_FACTOR, 'second-factor-removed', (context, userId, ctx) =>
  removePasskey(context, userId, idOf(ctx, 'passkeyId')),
)
