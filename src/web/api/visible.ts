import type { Context as KoaContext } from 'koa'
import type { MessageFilter } from '../../database/messages/reading.js'
import { findConnectedLines } from '../../domain/application-lines.js'
import type { Context } from '../../domain/context.js'
import { applicationOf, hasScope, userOf } from '../middleware/authenticate.js'

/**
 * The ids of the lines that the application which asks may see: those that its user has connected to it. undefined:
 * all of the user's lines.
 */
export async function visibleLines(context: Context, ctx: KoaContext): Promise<Set<string> | undefined> {
  if (applicationOf(ctx) === undefined || hasScope(ctx, 'lines:read')) return undefined
  return new Set(await connectedLines(context, ctx))
}

/** Of connected lines all messages with `messages:connect`; who may only write sees what it wrote itself. */
export async function visibleMessages(
  context: Context,
  ctx: KoaContext,
): Promise<Pick<MessageFilter, 'lineIds' | 'applicationId'>> {
  const application = applicationOf(ctx)
  if (application === undefined) return {}
  const lineIds = await connectedLines(context, ctx)
  return hasScope(ctx, 'messages:connect') ? { lineIds } : { lineIds, applicationId: application.id }
}

async function connectedLines(context: Context, ctx: KoaContext): Promise<string[]> {
  const { id = '' } = applicationOf(ctx) ?? {}
  const connected = await findConnectedLines(context, id, userOf(ctx))
  return connected.map((line) => line.id)
}
