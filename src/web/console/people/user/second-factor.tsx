import type { AskedRemoval } from '../../../../database/people/second-factors/removals.js'
import {
  askForRemoval,
  confirmRemoval,
  withdrawRemoval,
} from '../../../../domain/people/second-factors/lost.js'
import { fieldOf } from '../../form-values.js'
import { ActButton, Confirm, TextArea, Time } from '../../form.js'
import type { Page } from '../../page.js'
import { UserText } from '../../user-text.js'
import { userAct } from './act.js'

interface Props {
  page: Page
  path: string
  user: { id: string }
  hasSecondFactor: boolean
  asked: AskedRemoval | undefined
}

/** Shows the forms for a user who has lost the second factor: its removal needs two operators. */
export function LostSecondFactor({ page, path, user, hasSecondFactor, asked }: Props) {
  const forms = `${path}/second-factor`
  const readerId = page.session?.userId
  const isOwn = readerId === user.id
  const canAsk = hasSecondFactor && !isOwn && asked === undefined
  const open = hasSecondFactor && !isOwn ? asked : undefined
  return (
    <section id="second-factor" aria-labelledby="second-factor-title">
      <h2 id="second-factor-title">Second factor</h2>
      {!hasSecondFactor && <p>None.</p>}
      {hasSecondFactor && isOwn && <p>Manage your own in your settings.</p>}
      {hasSecondFactor && !isOwn && (
        <p>
          If they have lost it, they can sign in with a recovery code. If they have none, request its removal
          here. After another operator confirms, they sign in with their password and set up a new one. On the
          command line, <code>linehook user remove-second-factor</code> removes it immediately.
        </p>
      )}
      {canAsk && <Ask page={page} action={`${forms}/ask`} />}
      {open !== undefined && <Asked page={page} path={forms} asked={open} />}
    </section>
  )
}

function Ask({ page, action }: { page: Page; action: string }) {
  return (
    <Confirm
      page={page}
      action={action}
      label="Request removal"
      consequence={`First verify the request through a channel other than email. Another operator has to confirm it within 24 hours. The second factor and the recovery codes are then removed, and the user is signed out. They and all operators are notified now, and again when it is confirmed${page.hasMail ? ', also by email' : ''}.`}
      button="Ask another operator"
    >
      <TextArea
        name="reason"
        label="How did you verify their identity?"
        hint="Shown to the other operators and the user, and recorded in the audit log."
        rows={3}
        required
        more={{ maxLength: 300 }}
      />
    </Confirm>
  )
}

function Asked({ page, path, asked }: { page: Page; path: string; asked: AskedRemoval }) {
  const isOwn = page.session?.userId === asked.askedBy
  return (
    <>
      <p>
        {isOwn ? 'You' : asked.askedByEmail} requested its removal on <Time at={asked.askedAt} />:{' '}
        <q>
          <UserText>{asked.reason}</UserText>
        </q>
      </p>
      <p>
        {isOwn ? 'Another operator has to confirm it' : 'You can confirm it'} until <Time at={asked.endsAt} />
        .
      </p>
      {!isOwn && (
        <Confirm
          page={page}
          action={`${path}/confirm`}
          label="Confirm"
          consequence="Verify the request yourself first. Their second factor and recovery codes are removed immediately, and they are signed out."
          button="Remove second factor"
        >
          <input type="hidden" name="removal" value={asked.id} />
        </Confirm>
      )}
      <ActButton page={page} action={`${path}/withdraw`} label={isOwn ? 'Withdraw' : 'Refuse'} />
    </>
  )
}

export const postAskForRemoval = userAct('removal-asked', (context, { id }, ctx) =>
  askForRemoval(context, id, fieldOf(ctx, 'reason')),
)

export const postConfirmRemoval = userAct('removal-confirmed', (context, { id }, ctx) =>
  confirmRemoval(context, id, fieldOf(ctx, 'removal')),
)

export const postWithdrawRemoval = userAct('removal-withdrawn', (context, { id }) =>
  withdrawRemoval(context, id),
)
