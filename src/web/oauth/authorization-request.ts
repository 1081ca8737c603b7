import type { Context as KoaContext } from 'koa'
import { listAuthorizedLines } from '../../database/applications/authorizations.js'
import type { LineStatus, OwnLine } from '../../database/lines/lines.js'
import { isScope, type Scope } from '../../domain/applications/application-access.js'
import { findClient, type Application } from '../../domain/applications/applications.js'
import { isRedirectUriOf } from '../../domain/applications/redirect-uris.js'
import type { Context } from '../../domain/context.js'
import { listOwnLines } from '../../domain/lines/lines.js'
import { UserError } from '../../errors.js'
import { sessionOf } from '../console/people/session.js'
import { loadProvider } from './load-provider.js'

/** An application's request to the signed-in user. */
export interface AuthorizationRequest {
  uid: string
  application: Application
  scopes: Scope[]
  redirectUri: string
  /** The line that it asks for, if it asks for a certain one. */
  lineId: string | undefined
  /** The active lines that the user can connect. */
  choice: OwnLine[]
  /** Those of the active lines that are connected already, by their ids, with their scopes. */
  connected: Map<string, readonly string[]>
}

/**
 * Reads the authorization that the path names. It belongs to the browser in which the application began it, so a link
 * to another browser's is refused.
 *
 * @throws UserError 400
 */
export async function readAuthorizationRequest(
  context: Context,
  ctx: KoaContext,
): Promise<AuthorizationRequest> {
  const { uid, params } = await readInteraction(context, ctx)
  const application = await findClient(context, String(params.client_id))
  const redirectUri = String(params.redirect_uri)
  // The application or its redirect URI may be gone by now. A browser is never sent to an address that was removed.
  if (application === undefined || !isRedirectUriOf(application.redirectUris, redirectUri)) throw isOver()

  const { userId } = sessionOf(ctx)
  const active = (await listOwnLines(context, userId)).filter(isActive)
  const connected = (await listAuthorizedLines(context.db, application.id, userId)).filter(isActive)
  const lineId = typeof params.line_id === 'string' ? params.line_id.toLowerCase() : undefined
  return {
    uid,
    application,
    scopes: String(params.scope).split(' ').filter(isScope),
    redirectUri,
    lineId,
    choice: lineId === undefined ? active : active.filter(({ id }) => id === lineId),
    connected: new Map(connected.map(({ id, scopes: granted }) => [id, granted])),
  }
}

function isActive({ status }: { status: LineStatus }): boolean {
  return status === 'active'
}

async function readInteraction(context: Context, ctx: KoaContext) {
  const { providerOf, SessionNotFound } = await loadProvider()
  try {
    const interaction = await providerOf(context).interactionDetails(ctx.req, ctx.res)
    if (ctx.path.endsWith(`/${interaction.uid}`)) return interaction
  } catch (error) {
    if (!(error instanceof SessionNotFound)) throw error
  }
  throw isOver()
}

function isOver(): UserError {
  return new UserError(
    'This authorization has ended, or was started in another browser. Start again from the application',
  )
}
