import type { Context } from '../../../domain/context.js'
import { sendTestEvent } from '../../../domain/test-event.js'
import { TestEventOutcome } from '../endpoint/test-event.js'
import { idOf } from '../form-values.js'
import { showLine } from '../line.js'
import { answerFragment, type Act } from '../page.js'
import { sessionOf } from '../session.js'

/** For htmx the result alone; else the page with the result in it. */
export function postTestEvent(context: Context): Act {
  return async (ctx) => {
    const result = await sendTestEvent(context, sessionOf(ctx).userId, idOf(ctx, 'lineId'))
    if (ctx.get('HX-Request') === 'true') answerFragment(ctx, <TestEventOutcome result={result} />)
    else await showLine(context, { testEvent: result })(ctx, () => Promise.resolve())
    return undefined
  }
}
