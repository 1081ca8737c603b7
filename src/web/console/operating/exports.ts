import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { exportLine, exportPerson, exportUser } from '../../../domain/operating/exports/exports.js'
import { readPerson } from '../../../domain/people/forget.js'
import { actingFor } from '../../actor.js'
import { answerDownload, requireRoomForDownload } from '../../downloads.js'
import { fieldOf } from '../form-values.js'
import { askedLine } from '../lines/line/act.js'
import { sessionOf } from '../people/session.js'

/** Exports a line of the user's own as a zip. */
export function exportOwnLine(context: Context): Middleware {
  return async (ctx) => {
    const line = await askedLine(context, ctx)
    requireRoomForDownload(ctx)
    const source = await exportLine(actingFor(ctx, context), line)
    answerDownload(context, ctx, { name: 'line', ending: 'zip', source })
  }
}

/**
 * Exports the whole account as a zip. It asks for the password, so that a stranger at an open browser cannot take it
 * all.
 */
export function exportAccount(context: Context): Middleware {
  return async (ctx) => {
    requireRoomForDownload(ctx)
    const source = await exportUser(actingFor(ctx, context), sessionOf(ctx).userId)
    answerDownload(context, ctx, { name: 'account', ending: 'zip', source })
  }
}

/** Exports a person on all lines for operators. The number is sent in a form, so it is not in any address. */
export function postExportPerson(context: Context) {
  return async (ctx: KoaContext): Promise<undefined> => {
    const number = readPerson(fieldOf(ctx, 'number'))
    requireRoomForDownload(ctx)
    const source = await exportPerson(context, number, fieldOf(ctx, 'reason'))
    answerDownload(context, ctx, { name: 'person', ending: 'zip', source })
    return undefined
  }
}
