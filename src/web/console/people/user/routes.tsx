import type { Route } from '../../../../database/lines/lines.js'
import type { Context } from '../../../../domain/context.js'
import { readRoute, setRoutes, writeRoute } from '../../../../domain/lines/routes.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Form, TextArea } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act, Page } from '../../page.js'

/** By which accounts it sends before its own. */
export function LineRoutes({ page, action, routes }: { page: Page; action: string; routes: Route[] }) {
  return (
    <details class="confirm" open={page.fault?.action === action}>
      <summary>{routes.length === 0 ? 'Add routes' : `After ${routes.map(writeRoute).join(', ')}`}</summary>
      <Form page={page} action={action}>
        <TextArea
          page={page}
          action={action}
          name="routes"
          label="Accounts to send by first"
          rows={3}
          value={routes.map(writeRoute).join('\n')}
          hint="One on each line, in order: backup takes all numbers, backup:GB,+1416 those of a country or a prefix. The next one sends what the one before certainly did not take."
        />
        <button type="submit">Save routes</button>
      </Form>
    </details>
  )
}

export function postUserLineRoutes(context: Context): Act {
  return async (ctx) => {
    const userId = idOf(ctx, 'userId')
    const written = fieldOf(ctx, 'routes')
      .split('\n')
      .filter((each) => each.trim() !== '')
    await setRoutes(context, { userId, id: idOf(ctx, 'lineId') }, written.map(readRoute))
    return withNotice(`/console/users/${userId}`, 'routes-saved')
  }
}
