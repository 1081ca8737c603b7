import type { Context as KoaContext } from 'koa'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { ShownOnce } from '../page.js'

/**
 * Makes the attributes of a form or a button whose result htmx puts into an element. A refusal, or the sign-in page after
 * the session's end, replaces the whole page, as without a script.
 */
export function resultIn(id: string) {
  return {
    'data-hx-target': `#${id}`,
    'data-hx-swap': 'innerHTML',
    'data-hx-status-4xx': 'target:body',
    'data-hx-status-5xx': 'target:body',
  }
}

/** Answers htmx with only the result, and others with the page, which shows it once. */
export function answerPiece(ctx: KoaContext, shown: object, result: VNode): ShownOnce | undefined {
  if (ctx.get('HX-Request') !== 'true') return { shown }
  ctx.type = 'html'
  ctx.body = renderToString(result)
  return undefined
}
