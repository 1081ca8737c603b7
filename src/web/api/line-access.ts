import type { Context as KoaContext } from 'koa'
import { listAuthorizedLines } from '../../database/applications/authorizations.js'
import type { MessageFilter } from '../../database/messages/reading.js'
import { SCOPES, type Scope } from '../../domain/applications/application-access.js'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { applicationOf, hasScope, lineOfToken, userOf } from '../middleware/authenticate.js'

/**
 * Returns the ids of the lines that the calling program may see: the one that its token is for, or those that the
 * user has connected to the application; undefined for all of the user's lines. An application sees all of them only as
 * long as the user's last authorization allows it.
 */
export async function visibleLines(context: Context, ctx: KoaContext): Promise<Set<string> | undefined> {
  const only = lineOfToken(ctx)
  if (only !== undefined) return new Set([only])
  if (applicationOf(ctx) === undefined) return undefined
  const seesAll =
    hasScope(ctx, 'lines:read') && (await connectedLines(context, ctx, ['lines:read'])).length > 0
  return seesAll ? undefined : new Set(await connectedLines(context, ctx, SCOPES))
}

/** @throws UserError 404 for a line that the calling program may not see */
export async function requireVisible(context: Context, ctx: KoaContext, lineId: string): Promise<void> {
  const visible = await visibleLines(context, ctx)
  if (visible?.has(lineId) === false) throw new UserError('No such line', 404)
}

/** @throws UserError 404 for a line that is not the one that the token is for */
export function requireLineOfToken(ctx: KoaContext, lineId: string): void {
  const only = lineOfToken(ctx)
  if (only !== undefined && lineId.toLowerCase() !== only) throw new UserError('No such line', 404)
}

/**
 * An application may rename the lines that it sees, and see or change the user's contacts, as long as the user's last
 * authorization allows it for one of the lines.
 *
 * @throws UserError 403
 */
export async function requireStillGranted(
  context: Context,
  ctx: KoaContext,
  scope: 'lines:write' | 'contacts:read' | 'contacts:write',
): Promise<void> {
  if (applicationOf(ctx) === undefined) return
  if ((await connectedLines(context, ctx, [scope])).length > 0) return
  const what = scope === 'lines:write' ? 'rename lines' : 'access their contacts'
  throw new UserError(`The user no longer allows this application to ${what}`, 403)
}

/**
 * Returns the filter for messages: those of the token's line. An application with `messages:connect` sees all
 * messages of connected lines; one that may only write sees its own.
 */
export async function visibleMessages(
  context: Context,
  ctx: KoaContext,
): Promise<Pick<MessageFilter, 'lineIds' | 'applicationId'>> {
  const application = applicationOf(ctx)
  if (application === undefined) return lineFilterOf(ctx)
  if (hasScope(ctx, 'messages:connect')) {
    return { lineIds: await connectedLines(context, ctx, ['messages:connect']) }
  }
  const lineIds = await connectedLines(context, ctx, ['messages:connect', 'messages:write'])
  return { lineIds, applicationId: application.id }
}

/** Returns the filter for lists of the data of lines, which only the user's own programs may call. */
export function lineFilterOf(ctx: KoaContext): { lineIds?: string[] } {
  const only = lineOfToken(ctx)
  return only === undefined ? {} : { lineIds: [only] }
}

/**
 * Returns the lines for which the user's last authorization allows one of the scopes: an older token may have more.
 */
async function connectedLines(
  context: Context,
  ctx: KoaContext,
  scopes: readonly Scope[],
): Promise<string[]> {
  const { id = '' } = applicationOf(ctx) ?? {}
  const connected = await listAuthorizedLines(context.db, id, userOf(ctx))
  return connected
    .filter((line) => scopes.some((scope) => line.scopes.includes(scope)))
    .map((line) => line.id)
}
