import type { Context as KoaContext, Middleware } from 'koa'
import type { OwnLine } from '../../database/lines/lines.js'
import type { Scope } from '../../domain/applications/application-access.js'
import { authorizeLines, refuseAuthorization } from '../../domain/applications/authorizations.js'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import type { NeedsFresh } from '../console/people/confirm-first.js'
import { fieldOf, valuesOf } from '../console/form-values.js'
import { Empty, Form } from '../console/form.js'
import { Layout } from '../console/layout.js'
import { PhoneNumber } from '../console/messages/phone-number.js'
import { answerPage, pageOf, type Page, type ShownOnce } from '../console/page.js'
import { sessionOf } from '../console/people/session.js'
import { UserText } from '../console/user-text.js'
import { setOwnPagePolicy } from '../middleware/content-security.js'
import { readAuthorizationRequest, type AuthorizationRequest } from './authorization-request.js'
import { loadProvider } from './load-provider.js'

/** Explains each scope to the person who grants it. */
const PERMISSIONS: Record<Scope, string> = {
  'messages:connect':
    'Receive incoming texts, media and voicemail on the lines you choose, read their messages, and send from them',
  'messages:write': 'Send messages from the lines you choose',
  'lines:read': 'See all your lines: their names, numbers and states',
  'lines:write': 'Rename lines',
  'contacts:read': 'See your contacts: numbers, their names, and which are blocked',
  'contacts:write': 'Name, block and unblock contacts',
}

/** Shows the page where a user allows an application to use some of their lines, or declines. */
export function showConsent(context: Context): Middleware {
  return async (ctx) => {
    const asked = await readAuthorizationRequest(context, ctx)
    allowReturn(ctx, asked.redirectUri)
    const page = pageOf(ctx, context)
    const { application } = asked
    answerPage(
      ctx,
      <Layout page={page} title={`Authorize ${application.name}`}>
        <article class="narrow">
          <h1>
            Authorize <UserText>{application.name}</UserText>?
          </h1>
          <p>
            <strong dir="auto">{application.name}</strong>, an application by{' '}
            <UserText>{application.ownerName}</UserText>, is requesting access to your account (
            {page.session?.email}). If you agree, it can:
          </p>
          <ul>
            {asked.scopes.map((scope) => (
              <li key={scope}>{PERMISSIONS[scope]}</li>
            ))}
          </ul>
          {application.description !== '' && (
            <p>
              <q dir="auto">{application.description}</q>
            </p>
          )}
          <Form page={page} action={ctx.path}>
            <Choice asked={asked} page={page} />
            <div class="grid">
              {asked.choice.length > 0 && (
                <button type="submit" class="primary" name="decision" value="authorize">
                  Authorize
                </button>
              )}
              <button type="submit" name="decision" value="cancel" class="secondary" formNoValidate>
                Cancel
              </button>
            </div>
          </Form>
          <small>
            You will return to <strong>{sourceOf(asked.redirectUri)}</strong>. You can revoke access at any
            time in the console, under Authorized applications. Access ends automatically after a year without
            use.
          </small>
        </article>
      </Layout>,
    )
  }
}

function Choice({ asked, page }: { asked: AuthorizationRequest; page: Page }) {
  const { choice, lineId, connected } = asked
  if (choice.length === 0) {
    return (
      <Empty>
        {lineId === undefined
          ? 'You have no active line to connect. Ask your operator to add or enable one, then start again from the application.'
          : 'The application asked for a line that is not one of your active lines.'}
      </Empty>
    )
  }
  if (lineId !== undefined) {
    return (
      <p>
        Line: <LineName line={choice[0]} />.
      </p>
    )
  }
  const typed = page.fault === undefined ? undefined : (page.fault.fields.lineId ?? '').split('\n')
  return (
    <fieldset>
      <legend>Which lines can it use? Choose at least one.</legend>
      {choice.map((line) => (
        <label key={line.id}>
          <input
            type="checkbox"
            name="lineId"
            value={line.id}
            checked={typed?.includes(line.id) ?? (connected.has(line.id) || choice.length === 1)}
          />
          <LineName line={line} />
        </label>
      ))}
    </fieldset>
  )
}

function LineName({ line }: { line: OwnLine | undefined }) {
  if (line === undefined) return null
  return line.name === line.number ? (
    <strong>
      <PhoneNumber number={line.number} />
    </strong>
  ) : (
    <span>
      <strong dir="auto">{line.name}</strong>{' '}
      <span class="muted">
        <PhoneNumber number={line.number} />
      </span>
    </span>
  )
}

/** True if the application would get something that this user has not granted before: a line, or a scope of one. */
export const isNewConsent: NeedsFresh = async (ctx, context) => {
  if (fieldOf(ctx, 'decision') !== 'authorize') return false
  const { redirectUri, connected, lineId, scopes } = await readAuthorizationRequest(context, ctx)
  // The form of the page that asks for the password has the same answer.
  allowReturn(ctx, redirectUri)
  const chosen = lineId === undefined ? valuesOf(ctx, 'lineId') : [lineId]
  const hasAll = (id: string) => scopes.every((scope) => connected.get(id)?.includes(scope) === true)
  return !chosen.every(hasAll)
}

/** Handles "Authorize" or "Cancel"; either way the browser continues to the application's redirect. */
export function postConsent(context: Context) {
  return async (ctx: KoaContext): Promise<string | ShownOnce> => {
    const asked = await readAuthorizationRequest(context, ctx)
    const { userId } = sessionOf(ctx)
    const { providerOf, RESOURCE } = await loadProvider()
    const provider = providerOf(context)
    const finish = async (result: Parameters<typeof provider.interactionResult>[2]) => {
      await provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission: false })
      const path = `/oauth/authorize/${asked.uid}`
      return goesOnByPage(ctx, asked.redirectUri) ? { shown: {}, by: showReturn(context, asked, path) } : path
    }
    if (fieldOf(ctx, 'decision') !== 'authorize') {
      await refuseAuthorization(context, { applicationId: asked.application.id, userId })
      return finish({
        error: 'access_denied',
        error_description: 'The user did not authorize the application',
      })
    }

    const { application, scopes } = asked
    const lineIds = chosenLines(ctx, asked)
    const grant = new provider.Grant({ accountId: userId, clientId: application.clientId })
    grant.addResourceScope(RESOURCE, scopes.join(' '))
    // Anyone who disconnects the lines ends the grants that exist then, so the grant must exist before the lines are
    // connected.
    const grantId = await grant.save()
    await authorizeLines(context, {
      applicationId: application.id,
      userId,
      lineIds,
      scopes,
      isAdded: asked.lineId !== undefined,
    })
    return finish({ login: { accountId: userId, remember: false }, consent: { grantId } })
  }
}

/** If the application asked for a certain line, the page shows that one alone. */
function chosenLines(ctx: KoaContext, { choice, lineId }: AuthorizationRequest): string[] {
  if (lineId !== undefined) {
    if (choice.length === 0) throw new UserError('This is not one of your active lines', 403)
    return [lineId]
  }
  const chosen = valuesOf(ctx, 'lineId')
  if (chosen.length === 0) throw new UserError('Choose at least one line')
  const isOffered = (id: string) => choice.some((line) => line.id === id)
  if (!chosen.every(isOffered)) throw new UserError('This is not one of your active lines', 403)
  return chosen
}

/**
 * The response to the form is a page that continues by itself. A redirect would be part of the form for browsers: they
 * hold the form's policy against each address of the chain, and where the application's own redirect leads is not known
 * here. It would also leave the form in sight while the application takes its time, to be clicked again.
 */
function showReturn(
  context: Context,
  { application, redirectUri }: AuthorizationRequest,
  path: string,
): Middleware {
  return (ctx) => {
    setOwnPagePolicy(ctx)
    ctx.set('Refresh', `0;url=${path}`)
    answerPage(
      ctx,
      <Layout page={pageOf(ctx, context)} title={`Return to ${application.name}`}>
        <article class="narrow">
          <h1>
            Returning to <UserText>{application.name}</UserText>
          </h1>
          <p class="belated">
            Nothing happening? <a href={path}>Continue to {sourceOf(redirectUri)}</a>
          </p>
        </article>
      </Layout>,
    )
  }
}

/**
 * False for a program on a phone or a desktop with a scheme of its own, which systems open only as the direct outcome
 * of a click; and for what is no browser (or one that says nothing, as over plain http to another machine), which
 * follows a redirect and not a page.
 */
function goesOnByPage(ctx: KoaContext, redirectUri: string): boolean {
  return /^https?:/.test(redirectUri) && ctx.get('Sec-Fetch-Dest') === 'document'
}

/** The answer of the form may be a redirect that continues to the application. */
function allowReturn(ctx: KoaContext, redirectUri: string): void {
  setOwnPagePolicy(ctx, [sourceOf(redirectUri)])
}

/**
 * Returns a source for the Content-Security-Policy: the origin of a redirect URI, or the scheme of one that has none.
 * CSP does not support IPv6 addresses, and only a plain host may be in the header.
 */
export function sourceOf(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri)
  return /^https?:\/\/[a-z\d.-]+(:\d+)?$/.test(origin) ? origin : protocol
}
