import type { Route } from '../../../../database/lines/lines.js'
import type { Context } from '../../../../domain/context.js'
import { readRoute, setRoutes, writeRoute } from '../../../../domain/lines/routes.js'
import { backOf, fieldOf, idOf } from '../../form-values.js'
import { Form, TextArea } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act, Page } from '../../page.js'
import { userPath } from './path.js'

/**
 * Shows the form for the accounts that the line tries before its own.
 *
 * @param props.back the page to return to
 */
export function LineRoutes(props: { page: Page; action: string; routes: Route[]; back: string }) {
  const { page, action, routes, back } = props
  return (
    <section>
      <h3>Routes</h3>
      <Form page={page} action={action}>
        <input type="hidden" name="back" value={back} />
        <TextArea
          name="routes"
          label="Preferred carrier accounts"
          rows={3}
          value={routes.map(writeRoute).join('\n')}
          hint="One per line, in order of preference. “backup” applies to all numbers, “backup:GB,+1416” to those in a country or with a prefix. If an account definitely did not accept a message, the next one is tried."
        />
        <button type="submit">Save routes</button>
      </Form>
    </section>
  )
}

export function postUserLineRoutes(context: Context): Act {
  return async (ctx) => {
    const userId = idOf(ctx, 'userId')
    const written = fieldOf(ctx, 'routes')
      .split('\n')
      .filter((each) => each.trim() !== '')
    await setRoutes(context, { userId, id: idOf(ctx, 'lineId') }, written.map(readRoute))
    return withNotice(backOf(ctx) ?? userPath(userId), 'routes-saved')
  }
}
