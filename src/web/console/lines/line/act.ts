import type { Context as KoaContext } from 'koa'
import type { OwnLine } from '../../../../database/lines/lines.js'
import type { Context } from '../../../../domain/context.js'
import { getOwnLine } from '../../../../domain/lines/lines.js'
import { idOf } from '../../form-values.js'
import type { Notice } from '../../notices.js'
import type { Act } from '../../page.js'
import { sessionOf } from '../../people/session.js'
import { lineWithNotice } from './section.js'

/**
 * Returns the line that a path names.
 *
 * @throws UserError 404, also for another user's line
 */
export function askedLine(context: Context, ctx: KoaContext): Promise<OwnLine> {
  return getOwnLine(context, sessionOf(ctx).userId, idOf(ctx, 'lineId'))
}

/** Makes an act that shows the line again with a notice of what was done. */
export function lineAct(
  notice: Notice,
  work: (context: Context, userId: string, lineId: string, ctx: KoaContext) => Promise<unknown>,
  show?: 'webhook',
) {
  return (context: Context): Act =>
    async (ctx) => {
      const lineId = idOf(ctx, 'lineId')
      await work(context, sessionOf(ctx).userId, lineId, ctx)
      return lineWithNotice(lineId, notice, show)
    }
}
