import type { Context as KoaContext } from 'koa'
import type { Context } from '../../../../domain/context.js'
import { getOwnLine, type listOwnLines } from '../../../../domain/lines/lines.js'
import { readCap, setSpendCap, type SpendCap } from '../../../../domain/messages/spending/spend-caps.js'
import {
  readMonthlyCap,
  setMonthlyCap,
  type MonthlyCap,
} from '../../../../domain/messages/spending/monthly-caps.js'
import { getUser, type User } from '../../../../domain/people/users.js'
import { fieldOf, idOf } from '../../form-values.js'
import { Field, Form, Select } from '../../form.js'
import { withNotice } from '../../notices.js'
import type { Act, Page } from '../../page.js'
import { userPath } from './path.js'
import { MonthlyCapBadge, spentWords } from '../../usage/words.js'

type Lines = Awaited<ReturnType<typeof listOwnLines>>

/** Shows the forms that cap the segments of a user's lines a day, and their cost a month, each and together. */
export function SpendCaps(props: {
  page: Page
  action: string
  user: User
  lines: Lines
  /** The caps by the ids of lines, and of the user. */
  caps: ReadonlyMap<string, SpendCap>
  monthlyAction: string
  monthlyCaps: ReadonlyMap<string, MonthlyCap>
}) {
  const { page, action, monthlyAction, user, lines, caps, monthlyCaps } = props
  const owners = [
    [user.id, 'All lines combined'],
    ...lines.map(({ id, number }) => [id, number] as const),
  ] as const
  const withLabels = <Cap,>(all: ReadonlyMap<string, Cap>) =>
    owners.flatMap(([id, label]) => {
      const cap = all.get(id)
      return cap === undefined ? [] : [{ id, label, cap }]
    })
  const [daily, monthly] = [withLabels(caps), withLabels(monthlyCaps)]
  return (
    <section id="spend-caps" aria-labelledby="spend-caps-title">
      <h2 id="spend-caps-title">Caps</h2>
      {daily.length === 0 && monthly.length === 0 && <p class="muted">No caps on these lines.</p>}
      {daily.length + monthly.length > 0 && (
        <ul>
          {daily.map(({ id, label, cap: { used, segmentsPerDay, isNear } }) => (
            <li key={id}>
              {label}: {used} of {segmentsPerDay} segments today{' '}
              {isNear && (
                <span class="badge bad">{used >= segmentsPerDay ? 'used up' : 'nearly used up'}</span>
              )}
            </li>
          ))}
          {monthly.map(({ id, label, cap }) => (
            <li key={`${id} month`}>
              {label}: {spentWords(cap)} <MonthlyCapBadge cap={cap} />
            </li>
          ))}
        </ul>
      )}
      <details open={[action, monthlyAction].includes(page.fault?.action ?? '')}>
        <summary>Change caps</summary>
        <Form page={page} action={action} class="row">
          <Select name="of" label="For" options={owners} value={user.id} />
          <Field name="segments" label="Segments per day (UTC)" />
          <button type="submit">Save cap</button>
          <small>Leave empty for no cap.</small>
        </Form>
        <Form page={page} action={monthlyAction} class="row">
          <Select name="of" label="For" options={owners} value={user.id} />
          <Field name="amount" label="Amount per month (UTC)" />
          <button type="submit">Save monthly cap</button>
          <small>For example 50 USD. Leave empty for no cap.</small>
        </Form>
      </details>
    </section>
  )
}

export function postSpendCap(context: Context): Act {
  return async (ctx) => {
    const { user, owner } = await readOwner(ctx, context)
    const segmentsPerDay = readCap(fieldOf(ctx, 'segments'))
    await setSpendCap(context, owner, segmentsPerDay)
    return withNotice(userPath(user.id), segmentsPerDay === null ? 'cap-removed' : 'cap-saved')
  }
}

export function postMonthlyCap(context: Context): Act {
  return async (ctx) => {
    const { user, owner } = await readOwner(ctx, context)
    const money = readMonthlyCap(fieldOf(ctx, 'amount'))
    await setMonthlyCap(context, owner, money)
    return withNotice(userPath(user.id), money === null ? 'cap-removed' : 'monthly-cap-saved')
  }
}

/** Reads the owner of the cap: the user, or one of their lines. */
async function readOwner(ctx: KoaContext, context: Context) {
  const user = await getUser(context, idOf(ctx, 'userId'))
  const of = fieldOf(ctx, 'of')
  const owner =
    of === user.id
      ? ({ of: 'user', id: user.id } as const)
      : ({ of: 'line', id: (await getOwnLine(context, user.id, of)).id, userId: user.id } as const)
  return { user, owner }
}
