import type { Context } from '../../../domain/context.js'
import { getOwnLine } from '../../../domain/lines.js'
import { postMessage } from '../../../domain/messages/post.js'
import { measureText } from '../../../domain/messages/segments.js'
import { newId } from '../../../ids.js'
import { fieldOf, idOf } from '../form-values.js'
import { showLine } from '../line.js'
import { messagePath } from '../message/path.js'
import { withNotice } from '../notices.js'
import { answerFragment, type Act } from '../page.js'
import { SegmentCount } from '../segments.js'
import { sessionOf } from '../session.js'

/** The form's key serves once: a second press of its button finds the message that the first one made. */
export function postText(context: Context): Act {
  return async (ctx) => {
    const key = fieldOf(ctx, 'key')
    const { id } = await postMessage(context, {
      isFromConsole: true,
      userId: sessionOf(ctx).userId,
      applicationId: undefined,
      lineId: idOf(ctx, 'lineId'),
      toNumber: fieldOf(ctx, 'to'),
      text: fieldOf(ctx, 'text'),
      mediaUrl: undefined,
      idempotencyKey: key === '' ? undefined : key,
    })
    return withNotice(messagePath(id), 'text-accepted')
  }
}

/** For htmx the count alone; else the page with it, and with what was typed. */
export function postSegmentCount(context: Context): Act {
  return async (ctx) => {
    await getOwnLine(context, sessionOf(ctx).userId, idOf(ctx, 'lineId'))
    const text = fieldOf(ctx, 'text')
    const measure = measureText(text)
    if (ctx.get('HX-Request') === 'true') answerFragment(ctx, <SegmentCount measure={measure} />)
    else {
      const counted = { toNumber: fieldOf(ctx, 'to'), text, key: fieldOf(ctx, 'key') || newId(), measure }
      await showLine(context, { counted })(ctx, () => Promise.resolve())
    }
    return undefined
  }
}
