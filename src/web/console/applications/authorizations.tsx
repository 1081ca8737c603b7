import type { Middleware } from 'koa'
import {
  endAuthorizations,
  listAuthorizedApplications,
  type AuthorizedApplication,
} from '../../../domain/applications/authorizations.js'
import { isScope, SCOPES, type Scope } from '../../../domain/applications/application-access.js'
import type { Context } from '../../../domain/context.js'
import { actAt } from '../act.js'
import { idOf } from '../form-values.js'
import { Confirm, Empty, Time } from '../form.js'
import { Layout } from '../layout.js'
import { linePath } from '../lines/line/section.js'
import { answerPage, pageOf, type Page } from '../page.js'
import { Table } from '../parts/table.js'
import { sessionOf } from '../people/session.js'
import { UserText } from '../user-text.js'

const AUTHORIZED = '/console/authorized-applications'

/** The rights of each scope in the words of a line's owner: those for a line, or a sentence on the whole account. */
const MAY: Record<Scope, { line: string } | { account: string }> = {
  'messages:connect': { line: 'receive events, read messages, send' },
  'messages:write': { line: 'send' },
  'lines:read': { account: 'It can see the names, numbers and states of all your lines.' },
  'lines:write': { account: 'It can rename lines.' },
  'contacts:read': { account: 'It can see your contacts: numbers, their names, and which are blocked.' },
  'contacts:write': { account: 'It can name, block and unblock contacts.' },
}

/** Shows which applications may use the user's lines, their scopes, and how to end that. */
export function showAuthorizations(context: Context): Middleware {
  return async (ctx) => {
    const page = pageOf(ctx, context)
    const applications = await listAuthorizedApplications(context, sessionOf(ctx).userId)
    answerPage(
      ctx,
      <Layout page={page} title="Authorized applications">
        <h1>Authorized applications</h1>
        <p>
          Applications you have authorized to use your lines. If you disconnect one, it loses access
          immediately and has to ask you again. Applications you have built are under{' '}
          <a href="/console/applications">Applications</a>.
        </p>
        {applications.length === 0 ? (
          <Empty>No application can use your lines. An application that you authorize appears here.</Empty>
        ) : (
          applications.map((application) => (
            <Authorized key={application.id} page={page} application={application} />
          ))
        )}
      </Layout>,
    )
  }
}

function Authorized({ page, application }: { page: Page; application: AuthorizedApplication }) {
  const { id, name, website, ownerName, lines } = application
  const granted = SCOPES.filter((scope) => lines.some(({ scopes }) => scopes.includes(scope)))
  const onAccount = granted.flatMap((scope) => ('account' in MAY[scope] ? [MAY[scope].account] : []))
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        <UserText>{name}</UserText>
      </h2>
      <p>
        By <UserText>{ownerName}</UserText>
        {website !== null && (
          <>
            , <a href={website}>{website}</a>
          </>
        )}
        . {onAccount.join(' ')}
      </p>
      <Table
        rows={lines}
        class="tidy"
        columns={{
          Line: ({ lineId, lineName }) => (
            <a href={linePath(lineId)} dir="auto">
              {lineName}
            </a>
          ),
          Permissions: ({ scopes }) => permissions(scopes),
          Connected: ({ connectedAt }) => <Time at={connectedAt} />,
          'Last sent': ({ lastSentAt }) => <Moment at={lastSentAt} />,
          'Last received': ({ lastReceivedAt }) => <Moment at={lastReceivedAt} />,
        }}
        acts={({ lineId, lineName }) => (
          <Confirm
            page={page}
            action={`${AUTHORIZED}/${id}/lines/${lineId}/disconnect`}
            label="Disconnect"
            consequence={
              <>
                “<UserText>{name}</UserText>” immediately loses access to “<UserText>{lineName}</UserText>”.
              </>
            }
            button="Disconnect this line"
          />
        )}
      />
      <Confirm
        page={page}
        action={`${AUTHORIZED}/${id}/disconnect`}
        label="Disconnect application"
        consequence={
          <>
            “<UserText>{name}</UserText>” immediately loses access to all your lines, and its tokens stop
            working.
          </>
        }
        button="Disconnect application"
      />
    </section>
  )
}

function Moment({ at }: { at: Date | null }) {
  return at === null ? <span class="muted">Never</span> : <Time at={at} />
}

function permissions(scopes: readonly string[]): string {
  // An application that gets incoming messages may send, too.
  const isWider = scopes.includes('messages:connect')
  const words = scopes.filter(isScope).flatMap((scope) => {
    if (isWider && scope === 'messages:write') return []
    const may = MAY[scope]
    return 'line' in may ? [may.line] : []
  })
  return words.length === 0 ? 'see the line' : words.join(', ')
}

export const postEndAuthorizations = actAt(AUTHORIZED, 'application-disconnected', (context, userId, ctx) =>
  endAuthorizations(context, userId, idOf(ctx, 'applicationId')),
)

export const postEndAuthorization = actAt(
  AUTHORIZED,
  'application-line-disconnected',
  (context, userId, ctx) =>
    endAuthorizations(context, userId, idOf(ctx, 'applicationId'), idOf(ctx, 'lineId')),
)
