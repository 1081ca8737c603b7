import type { Context } from '../../../../domain/context.js'
import { getOwnLine, type listOwnLines } from '../../../../domain/lines/lines.js'
import { readCap, setSpendCap, type SpendCap } from '../../../../domain/messages/spend-caps.js'
import { getUser, type User } from '../../../../domain/people/users.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Field, Form, Select, typedIn } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act, Page } from '../../page.js'

type Lines = Awaited<ReturnType<typeof listOwnLines>>

/** How many segments a user's lines may send a day, each and together, and the form that sets it. */
export function SpendCaps(props: {
  page: Page
  action: string
  user: User
  lines: Lines
  /** The caps by the ids of lines, and of the user. */
  caps: ReadonlyMap<string, SpendCap>
}) {
  const { page, action, user, lines, caps } = props
  const owners = [
    [user.id, 'All lines together'],
    ...lines.map(({ id, number }) => [id, number] as const),
  ] as const
  const capped = owners.flatMap(([id, label]) => {
    const cap = caps.get(id)
    return cap === undefined ? [] : [{ id, label, cap }]
  })
  return (
    <section id="spend-caps" aria-labelledby="spend-caps-title">
      <h2 id="spend-caps-title">Daily caps</h2>
      {capped.length === 0 && <p class="empty">There is no cap on what these lines may send.</p>}
      {capped.length > 0 && (
        <ul>
          {capped.map(({ id, label, cap: { used, segmentsPerDay, isNear } }) => (
            <li key={id}>
              {label}: {used} of {segmentsPerDay} segments today{' '}
              {isNear && (
                <span class="badge bad">{used >= segmentsPerDay ? 'used up' : 'nearly used up'}</span>
              )}
            </li>
          ))}
        </ul>
      )}
      <Form page={page} action={action} class="row">
        <Select name="of" label="For" options={owners} value={typedIn(page, action, 'of') ?? user.id} />
        <Field page={page} action={action} name="segments" label="Segments a day (UTC); empty: no cap" />
        <button type="submit">Save the cap</button>
      </Form>
    </section>
  )
}

export function postSpendCap(context: Context): Act {
  return async (ctx) => {
    const user = await getUser(context, idOf(ctx, 'userId'))
    const of = fieldOf(ctx, 'of')
    const owner =
      of === user.id
        ? ({ of: 'user', id: user.id } as const)
        : ({ of: 'line', id: (await getOwnLine(context, user.id, of)).id, userId: user.id } as const)
    const segmentsPerDay = readCap(fieldOf(ctx, 'segments'))
    await setSpendCap(context, owner, segmentsPerDay)
    return withNotice(`/console/users/${user.id}`, segmentsPerDay === null ? 'cap-removed' : 'cap-saved')
  }
}
