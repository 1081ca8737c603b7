import { revokeAccess } from '../../../../domain/people/revoke-access.js'
import { endSession, endSessions, type ListedSession } from '../../../../domain/people/sessions.js'
import { actAt } from '../../act.js'
import { idOf } from '../../form-values.js'
import { ActButton, Confirm, Form, Time } from '../../form.js'
import type { Page } from '../../page.js'
import { Table } from '../../parts/table.js'
import { sessionOf } from '../session.js'
import { browserName } from './browser-name.js'
import { SETTINGS } from './path.js'

/** The others are folded. */
const SHOWN = 5

interface Listed {
  page: Page
  sessions: readonly ListedSession[]
  currentId: string
}

export function Sessions(props: Listed) {
  const { page, sessions } = props
  return (
    <section id="sessions">
      <h2>Sessions</h2>
      <SessionTable {...props} sessions={sessions.slice(0, SHOWN)} />
      {sessions.length > SHOWN && (
        <details>
          <summary>Show {sessions.length - SHOWN} more</summary>
          <SessionTable {...props} sessions={sessions.slice(SHOWN)} />
        </details>
      )}
      {sessions.length > 1 && (
        <Form page={page} action={`${SETTINGS}/sessions/end-others`}>
          <button type="submit" class="secondary">
            End all other sessions
          </button>
        </Form>
      )}
    </section>
  )
}

function SessionTable({ page, sessions, currentId }: Listed) {
  return (
    <Table
      rows={sessions}
      class="tidy"
      columns={{
        Browser: ({ userAgent }) => <span title={userAgent}>{browserName(userAgent)}</span>,
        'Signed in': ({ createdAt }) => <Time at={createdAt} />,
        'Last seen': ({ lastSeenAt }) => <Time at={lastSeenAt} />,
      }}
      acts={({ id }) =>
        id === currentId ? (
          'This session'
        ) : (
          <ActButton page={page} action={`${SETTINGS}/sessions/${id}/end`} label="End" look="secondary" />
        )
      }
    />
  )
}

/** Helps users who fear that a stranger got into the account. */
export function AllAccess({ page }: { page: Page }) {
  return (
    <section id="access">
      <h2>Programs and applications</h2>
      <Confirm
        page={page}
        action={`${SETTINGS}/revoke-access`}
        label="Revoke all access"
        consequence={
          'All your API tokens stop working, and all applications are disconnected from your lines. ' +
          "Your own sessions and your lines' webhooks are not affected."
        }
        button="Revoke all access"
      />
    </section>
  )
}

export const postRevokeAccess = actAt(SETTINGS, 'access-revoked', revokeAccess)

export const postEndSession = actAt(SETTINGS, 'session-ended', (context, userId, ctx) =>
  endSession(context, userId, idOf(ctx, 'sessionId')),
)

export const postEndOtherSessions = actAt(SETTINGS, 'sessions-ended', (context, userId, ctx) =>
  endSessions(context, userId, sessionOf(ctx).id),
)
