import { sendApplicationTestEvent } from '../../../domain/applications/endpoint.js'
import type { Context } from '../../../domain/context.js'
import { showApplication } from '../application.js'
import { TestEventOutcome } from '../endpoint/test-event.js'
import { idOf } from '../form-values.js'
import { answerFragment, type Act } from '../page.js'
import { sessionOf } from '../session.js'

/** For htmx the result alone; else the page with the result in it. */
export function postApplicationTestEvent(context: Context): Act {
  return async (ctx) => {
    const applicationId = idOf(ctx, 'applicationId')
    const testEvent = await sendApplicationTestEvent(context, sessionOf(ctx).userId, applicationId)
    if (ctx.get('HX-Request') === 'true') answerFragment(ctx, <TestEventOutcome result={testEvent} />)
    else await showApplication(context, { applicationId, testEvent })(ctx, () => Promise.resolve())
    return undefined
  }
}
