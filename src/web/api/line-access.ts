import type { Context as KoaContext } from 'koa'
import { listAuthorizedLines } from '../../database/authorizations.js'
import type { MessageFilter } from '../../database/messages/reading.js'
import { SCOPES, type Scope } from '../../domain/application-access.js'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { applicationOf, hasScope, userOf } from '../middleware/authenticate.js'

/**
 * The ids of the lines that the application which asks may see: those that its user has connected to it. undefined:
 * all of the user's lines.
 */
export async function visibleLines(context: Context, ctx: KoaContext): Promise<Set<string> | undefined> {
  if (applicationOf(ctx) === undefined || hasScope(ctx, 'lines:read')) return undefined
  return new Set(await connectedLines(context, ctx, SCOPES))
}

/** @throws UserError 404 for a line that the application which asks may not see */
export async function requireVisible(context: Context, ctx: KoaContext, lineId: string): Promise<void> {
  const visible = await visibleLines(context, ctx)
  if (visible?.has(lineId) === false) throw new UserError('no such line', 404)
}

/**
 * An application may rename the lines that it sees.
 *
 * @throws UserError 403 when the user, the last time, did not allow it any more
 */
export async function requireRenaming(context: Context, ctx: KoaContext): Promise<void> {
  if (applicationOf(ctx) === undefined) return
  const renamable = await connectedLines(context, ctx, ['lines:write'])
  if (renamable.length === 0)
    throw new UserError('the user no longer lets this application rename lines', 403)
}

/** Of connected lines all messages with `messages:connect`; who may only write sees what it wrote itself. */
export async function visibleMessages(
  context: Context,
  ctx: KoaContext,
): Promise<Pick<MessageFilter, 'lineIds' | 'applicationId'>> {
  const application = applicationOf(ctx)
  if (application === undefined) return {}
  if (hasScope(ctx, 'messages:connect')) {
    return { lineIds: await connectedLines(context, ctx, ['messages:connect']) }
  }
  const lineIds = await connectedLines(context, ctx, ['messages:connect', 'messages:write'])
  return { lineIds, applicationId: application.id }
}

/** Those for which the user, the last time, allowed one of the scopes: an older token may have more. */
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
