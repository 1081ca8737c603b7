import { disableUser, enableUser } from '../../../../domain/people/disabled-users.js'
import { revokeAccess } from '../../../../domain/people/revoke-access.js'
import { endSessions } from '../../../../domain/people/sessions.js'
import type { User } from '../../../../domain/people/users.js'
import { UserError } from '../../../../errors.js'
import { fieldOf } from '../../form-values.js'
import { LOG } from '../../operating/audit/paths.js'
import { ActButton, Confirm, Select, Time } from '../../form.js'
import type { Page } from '../../page.js'
import { userAct } from './act.js'

const BELONGINGS = [
  ['', 'Choose…'],
  ['goes_on', 'Keep working: webhooks, events and applications'],
  ['stops', 'Stop: webhooks return 404, events are held, applications are refused'],
] as const

/** Shows an operator's controls for a user's access, and their result. */
export function UserAccess({ page, path, user }: { page: Page; path: string; user: User }) {
  const canDisable = user.disabledAt === null && page.session?.userId !== user.id
  return (
    <section aria-labelledby="access-title">
      <h2 id="access-title">Access</h2>
      {user.disabledAt !== null && (
        <Disabled page={page} action={`${path}/enable`} user={user} since={user.disabledAt} />
      )}
      <div class="folds">
        {canDisable && <Disable page={page} action={`${path}/disable`} />}
        <Confirm
          page={page}
          action={`${path}/end-sessions`}
          label="End all sessions"
          consequence="They are signed out everywhere immediately. They can sign in again."
          button="End all sessions"
        />
        <Confirm
          page={page}
          action={`${path}/revoke-access`}
          label="Revoke all access"
          consequence="All their API tokens stop working, and all applications are disconnected from their lines. They need new tokens and have to authorize applications again."
          button="Revoke all access"
        />
      </div>
      <p>
        <a href={`${LOG}?user=${user.id}`}>Account history</a>
      </p>
    </section>
  )
}

function Disable({ page, action }: { page: Page; action: string }) {
  return (
    <Confirm
      page={page}
      action={action}
      label="Disable user"
      consequence="They are signed out everywhere and cannot sign in. Their API tokens and application authorizations do not work until the user is enabled again."
      button="Disable user"
    >
      <Select name="belongings" label="Their lines and applications" options={BELONGINGS} value="" />
    </Confirm>
  )
}

function Disabled(props: { page: Page; action: string; user: User; since: Date }) {
  const { page, action, user, since } = props
  return (
    <>
      <p class="fault">
        Disabled since <Time at={since} />.{' '}
        {user.stoppedAt === null
          ? 'Their lines and applications keep working.'
          : 'Their lines and applications are stopped.'}
      </p>
      <ActButton page={page} action={action} label="Enable user" />
    </>
  )
}

export const postDisableUser = userAct('user-disabled', async (context, { id }, ctx) => {
  const belongings = fieldOf(ctx, 'belongings')
  if (belongings !== 'goes_on' && belongings !== 'stops') {
    throw new UserError('belongings: choose whether they keep working')
  }
  await disableUser(context, id, belongings)
})

export const postEnableUser = userAct('user-enabled', (context, { id }) => enableUser(context, id))
export const postEndUserSessions = userAct('user-sessions-ended', (context, { id }) =>
  endSessions(context, id),
)
export const postRevokeUserAccess = userAct('access-revoked', (context, { id }) => revokeAccess(context, id))
