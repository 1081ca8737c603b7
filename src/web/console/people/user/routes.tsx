import type { Route } from '../../../../database/lines/lines.js'
import { readRoute, setRoutes, writeRoute } from '../../../../domain/lines/routes.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Form, TextArea } from '../../form.js'
import type { Page } from '../../page.js'
import { userAct } from './act.js'

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

export const postUserLineRoutes = userAct('routes-saved', async (context, { id: userId }, ctx) => {
  const written = fieldOf(ctx, 'routes')
    .split('\n')
    .filter((each) => each.trim() !== '')
  await setRoutes(context, { userId, id: idOf(ctx, 'lineId') }, written.map(readRoute))
})
