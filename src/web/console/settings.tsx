import type { Context as KoaContext, Middleware } from 'koa'
import { createApiToken, listApiTokens, removeApiToken } from '../../domain/api-tokens.js'
import type { Context } from '../../domain/context.js'
import { changePassword, endOtherSessions, endSession, listSessions } from '../../domain/sessions.js'
import { fieldOf, idOf } from './fields.js'
import { Confirm, Empty, Field, Form, Time } from './form.js'
import { Layout } from './layout.js'
import { withNotice } from './notices.js'
import { answerPage, pageOf, type Page } from './page.js'
import { isConfirmed, sessionOf } from './session.js'

const SETTINGS = '/console/settings'

type Tokens = Awaited<ReturnType<typeof listApiTokens>>
interface CreatedToken {
  name: string
  token: string
}

type Sessions = Awaited<ReturnType<typeof listSessions>>

export function showSettings(context: Context, created?: CreatedToken): Middleware {
  return async (ctx) => {
    const session = sessionOf(ctx)
    const page = pageOf(ctx, context)
    const tokens = await listApiTokens(context, session.userId)
    const sessions = await listSessions(context, session.userId)
    answerPage(
      ctx,
      <Layout page={page} title="Settings">
        <h1>Settings</h1>
        <p>
          Signed in as <strong>{session.email}</strong>.
        </p>
        <ApiTokens page={page} tokens={tokens} created={created} publicUrl={context.config.publicUrl} />
        <Password page={page} />
        <SessionList page={page} sessions={sessions} currentId={session.id} />
      </Layout>,
    )
  }
}

function ApiTokens(props: {
  page: Page
  tokens: Tokens
  created: CreatedToken | undefined
  publicUrl: string
}) {
  const { page, tokens, created, publicUrl } = props
  const action = `${SETTINGS}/api-tokens`
  return (
    <section id="api-tokens">
      <h2>API tokens</h2>
      <p>
        A program that has one can do everything that you can do to your lines: see the{' '}
        <a href="/docs">API</a>.
      </p>
      {created !== undefined && (
        <div role="status" class="notice">
          <p>The token “{created.name}” is made. It is shown only now:</p>
          <p class="copyable">
            <code id="new-token">{created.token}</code>
            <button type="button" data-copy="new-token" hidden>
              Copy
            </button>
          </p>
          <pre>{`curl -H 'Authorization: Bearer ${created.token}' ${publicUrl}/v1/lines`}</pre>
        </div>
      )}
      {tokens.length === 0 ? (
        <Empty>You have no API tokens yet: give the first one a name and create it.</Empty>
      ) : (
        <table class="rows">
          <thead>
            <tr>
              <th>Name</th>
              <th>Created</th>
              <th>Last used</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {tokens.map(({ id, name, createdAt, lastUsedAt }) => (
              <tr key={id}>
                <td data-label="Name">{name}</td>
                <td data-label="Created">
                  <Time at={createdAt} />
                </td>
                <td data-label="Last used">{lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />}</td>
                <td>
                  <Confirm
                    page={page}
                    action={`${action}/${id}/revoke`}
                    label="Revoke"
                    consequence={`Programs that use “${name}” are refused from then on.`}
                    button="Revoke the token"
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Form page={page} action={action} class="row">
        <Field
          page={page}
          action={action}
          name="name"
          label="Name of a new token"
          required
          more={{ maxlength: 100 }}
        />
        <button type="submit">Create token</button>
      </Form>
    </section>
  )
}

function Password({ page }: { page: Page }) {
  const action = `${SETTINGS}/password`
  const password = { page, action, type: 'password' as const, required: true }
  return (
    <section id="password">
      <h2>Password</h2>
      <Form page={page} action={action}>
        {/* For password managers: whose password it is. */}
        <input
          type="text"
          name="username"
          value={page.session?.email}
          autocomplete="username"
          hidden
          readonly
        />
        <Field
          {...password}
          name="currentPassword"
          label="Current password"
          autocomplete="current-password"
        />
        <Field
          {...password}
          name="newPassword"
          label="New password"
          hint="12 characters or more. Your other sessions end."
          autocomplete="new-password"
          more={{ minlength: 12, maxlength: 256 }}
        />
        <button type="submit">Change password</button>
      </Form>
    </section>
  )
}

function SessionList(props: { page: Page; sessions: Sessions; currentId: string }) {
  const { page, sessions, currentId } = props
  return (
    <section id="sessions">
      <h2>Sessions</h2>
      <table class="rows">
        <thead>
          <tr>
            <th>Browser</th>
            <th>Signed in</th>
            <th>Last seen</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {sessions.map(({ id, userAgent, createdAt, lastSeenAt }) => (
            <tr key={id}>
              <td data-label="Browser" class="agent">
                {userAgent === '' ? 'unknown' : userAgent}
              </td>
              <td data-label="Signed in">
                <Time at={createdAt} />
              </td>
              <td data-label="Last seen">
                <Time at={lastSeenAt} />
              </td>
              <td>
                {id === currentId ? (
                  'this one'
                ) : (
                  <Form page={page} action={`${SETTINGS}/sessions/${id}/end`} class="inline">
                    <button type="submit" class="secondary">
                      End
                    </button>
                  </Form>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sessions.length > 1 && (
        <Form page={page} action={`${SETTINGS}/sessions/end-others`}>
          <button type="submit" class="secondary">
            End all others
          </button>
        </Form>
      )}
    </section>
  )
}

/** Shown in this answer and never again; so this is the one form that is not followed by a redirect. */
export function postApiToken(context: Context) {
  return async (ctx: KoaContext): Promise<undefined> => {
    if (!isConfirmed(ctx, SETTINGS)) return undefined
    const created = await createApiToken(context, sessionOf(ctx).userId, fieldOf(ctx, 'name'))
    await showSettings(context, created)(ctx, () => Promise.resolve())
    return undefined
  }
}

export function postRevokeApiToken(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    await removeApiToken(context, sessionOf(ctx).userId, idOf(ctx, 'tokenId'))
    return withNotice(SETTINGS, 'token-revoked')
  }
}

export function postPassword(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    const [current, next] = [fieldOf(ctx, 'currentPassword'), fieldOf(ctx, 'newPassword')]
    await changePassword(context, sessionOf(ctx), current, next, ctx.ip)
    return withNotice(SETTINGS, 'password-changed')
  }
}

export function postEndSession(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    await endSession(context, sessionOf(ctx).userId, idOf(ctx, 'sessionId'))
    return withNotice(SETTINGS, 'session-ended')
  }
}

export function postEndOtherSessions(context: Context) {
  return async (ctx: KoaContext): Promise<string> => {
    const { userId, id } = sessionOf(ctx)
    await endOtherSessions(context, userId, id)
    return withNotice(SETTINGS, 'sessions-ended')
  }
}
