import type { Context as KoaContext, Middleware } from 'koa'
import { hasSecondFactor } from '../../../database/people/second-factors/has-one.js'
import { listAccountOverviews, type ListedCarrierAccount } from '../../../domain/carriers/carrier-accounts.js'
import { isSimulator } from '../../../domain/carriers/accounts/kinds.js'
import type { Context } from '../../../domain/context.js'
import { writeRoute } from '../../../domain/lines/routes.js'
import { addLine, getOwnLine, listOwnLines, setLineStatus } from '../../../domain/lines/lines.js'
import { pauseLine, resumeLine } from '../../../domain/operating/pauses.js'
import { recordView } from '../../../domain/operating/audit.js'
import { listPausedCountries } from '../../../domain/messages/country-guard.js'
import { createSetUpLink } from '../../../domain/people/set-up-links.js'
import { findRemoval } from '../../../database/people/second-factors/removals.js'
import { findCapsOfUser } from '../../../domain/messages/spending/spend-caps.js'
import { findMonthlyCapsOfUser } from '../../../domain/messages/spending/monthly-caps.js'
import { readMonths, readUsage } from '../../../domain/messages/spending/usage.js'
import { getUser } from '../../../domain/people/users.js'
import { actingFor } from '../../actor.js'
import { backOf, fieldOf, idOf } from '../form-values.js'
import { Confirm, Empty, Field, Form, Select } from '../form.js'
import { Layout } from '../layout.js'
import { addressOfPage, ListControls, listingOf, ListPages, type ListingOf } from '../listing.js'
import { LineStatus } from '../lines/lines.js'
import { answerPage, pageOf, type Act, type Page } from '../page.js'
import { PageHead } from '../parts/page-head.js'
import { pauserOf } from '../operating/pauser.js'
import { PhoneNumber } from '../messages/phone-number.js'
import { UserText } from '../user-text.js'
import { UsageTable } from '../usage/table.js'
import { userAct } from './user/act.js'
import { SpendCaps } from './user/spend-caps.js'
import { PausedCountries } from './user/countries.js'
import { USERS, userPath } from './user/path.js'
import {
  accountOptions,
  LimitFields,
  LineSettings,
  readLimitFields,
  type AccountOptions,
} from './user/limits.js'
import { LineRoutes } from './user/routes.js'
import { UserAccess } from './user/access.js'
import { LostSecondFactor } from './user/second-factor.js'
import { setUpLinkAt, showSetUpLink } from './users.js'

type Lines = Awaited<ReturnType<typeof listOwnLines>>

const LISTED: ListingOf<Lines[number]> = {
  words: ({ id, name, number, carrierAccount }) => [id, name, number, carrierAccount],
  states: {
    disabled: { label: 'Disabled', has: ({ status }) => status === 'disabled' },
    paused: { label: 'Paused', has: ({ pausedAt }) => pausedAt !== null },
  },
  sorts: {
    added: { label: 'Added', compare: (one, other) => (one.id < other.id ? -1 : 1) },
    name: { label: 'Name', compare: (one, other) => one.name.localeCompare(other.name) },
  },
}

/** Shows operators one user, and that user's lines. */
export function showUser(context: Context): Middleware {
  return async (ctx) => {
    if (showSetUpLink(context, ctx)) return
    const user = await getUser(context, idOf(ctx, 'userId'))
    const page = pageOf(ctx, context)
    await recordView(actingFor(ctx, context), 'user.viewed', user.id)
    const lines = await listOwnLines(context, user.id)
    const caps = await findCapsOfUser(context, user, lines)
    const usage = await readUsage(context, user.id, readMonths({}))
    const accounts = await listAccountOverviews(context)
    const path = userPath(user.id)
    const listing = listingOf({ path, query: listQueryOf(ctx) }, lines, LISTED)
    const back = addressOfPage(listing)
    const refused = lines.find(({ id }) => page.fault?.action.startsWith(`${path}/lines/${id}/`) === true)
    const shown =
      refused === undefined || listing.shown.includes(refused) ? listing.shown : [refused, ...listing.shown]
    answerPage(
      ctx,
      <Layout page={page} title={user.email}>
        <PageHead
          crumbs={[['Users', USERS]]}
          title={<UserText>{user.name}</UserText>}
          beside={
            <span class="muted">
              {user.email} · {user.role}
            </span>
          }
        />
        <div class="sections">
          <section aria-labelledby="password-title">
            <h2 id="password-title">Password</h2>
            <p>{user.hasPassword ? 'A password is set.' : 'No password yet.'}</p>
            <Confirm
              page={page}
              action={`${path}/set-up-link`}
              label="New set-up link"
              consequence="They can use the link once to set a new password. Any earlier link stops working."
              button="Create link"
            />
          </section>
          <PausedCountries page={page} path={path} pauses={await listPausedCountries(context, user.id)} />
          <LostSecondFactor
            page={page}
            path={path}
            user={user}
            hasSecondFactor={await hasSecondFactor(context.db, user.id)}
            asked={await findRemoval(context.db, user.id)}
          />
          <UserAccess page={page} path={path} user={user} />
          <SpendCaps
            page={page}
            action={`${path}/spend-cap`}
            user={user}
            lines={lines}
            caps={caps}
            monthlyAction={`${path}/monthly-cap`}
            monthlyCaps={await findMonthlyCapsOfUser(context, user, lines)}
          />
        </div>
        <h2>Usage</h2>
        {usage.length === 0 ? (
          <Empty>Nothing sent in the last three months.</Empty>
        ) : (
          <UsageTable usage={usage} lines={lines}>
            <a href={`${path}/usage.csv`}>Download CSV</a>
          </UsageTable>
        )}
        <h2>Lines</h2>
        <ListControls listing={listing} label="Lines" />
        {lines.length === 0 ? (
          <Empty>No lines yet. Add the first one below.</Empty>
        ) : shown.length === 0 ? (
          <Empty>No lines match this filter.</Empty>
        ) : (
          <div>
            {shown.map((line) => (
              <LineRow key={line.id} {...{ page, path, line, back }} accounts={accountOptions(accounts)} />
            ))}
          </div>
        )}
        <ListPages listing={listing} />
        <NewLine
          page={page}
          action={`${path}/lines`}
          accounts={accounts}
          isAsked={ctx.query['new-line'] !== undefined}
        />
      </Layout>,
    )
  }
}

/** A form of a line names the page of the list that it is on. The answer to a refused one shows that page again. */
function listQueryOf(ctx: KoaContext): KoaContext['query'] {
  if (ctx.method !== 'POST') return ctx.query
  return Object.fromEntries(new URL(backOf(ctx) ?? ctx.path, 'http://own').searchParams)
}

/**
 * Shows one of the user's lines as a row, which opens to show what an operator can do with it.
 *
 * @param props.back the page of the list, to return to after a form
 */
function LineRow(props: {
  page: Page
  path: string
  line: Lines[number]
  accounts: AccountOptions
  back: string
}) {
  const { page, path, line, accounts, back } = props
  const { id, number, name, carrierAccount, routes, status, pausedAt } = line
  const at = `${path}/lines/${id}`
  const isActive = status === 'active'
  return (
    <details class="row" open={page.fault?.action.startsWith(`${at}/`) === true}>
      <summary class="cells">
        <UserText>{name}</UserText>
        <small>
          <PhoneNumber number={number} />
        </small>
        <small>{[...routes.map(writeRoute), carrierAccount].join(', ')}</small>
        <span>
          <LineStatus line={{ status, pausedAt }} />
        </span>
      </summary>
      <div class="services">
        <LineSettings page={page} action={`${at}/settings`} line={line} accounts={accounts} back={back} />
        <LineRoutes page={page} action={`${at}/routes`} routes={routes} back={back} />
        <section>
          <h3>Sending</h3>
          <p>
            {pausedAt === null
              ? 'While sending is paused, new messages are accepted but wait until an operator resumes it.'
              : 'Paused. Messages are accepted but wait.'}
          </p>
          <Form page={page} action={`${at}/${pausedAt === null ? 'pause' : 'resume'}`}>
            <input type="hidden" name="back" value={back} />
            <button type="submit">{pausedAt === null ? 'Pause sending' : 'Resume sending'}</button>
          </Form>
        </section>
        <section>
          <h3>Line</h3>
          <p>
            {isActive
              ? 'If you disable the line, it stops sending, its waiting and scheduled messages fail, and its webhook returns 404.'
              : 'Disabled. Its webhook returns 404.'}
          </p>
          <Form page={page} action={`${at}/${isActive ? 'disable' : 'enable'}`}>
            <input type="hidden" name="back" value={back} />
            <button type="submit" {...(isActive ? { class: 'danger' } : {})}>
              {isActive ? 'Disable line' : 'Enable line'}
            </button>
          </Form>
        </section>
      </div>
    </details>
  )
}

function NewLine(props: {
  page: Page
  action: string
  accounts: ListedCarrierAccount[]
  /** True if a link to this form was followed. */
  isAsked: boolean
}) {
  const { page, action, accounts, isAsked } = props
  const usable = accounts.filter((account) => page.hasSimulator || !isSimulator(account))
  return (
    <details id="new-line" open={isAsked || page.fault?.action === action}>
      <summary>Add line</summary>
      <Form page={page} action={action}>
        <Field
          name="number"
          label="Number"
          required
          hint="For example +15551234567, a short code, or a name of up to 11 characters (send only)."
        />
        <Field
          name="country"
          label="Country"
          hint="Two letters, such as US. Only for a short code or a name."
        />
        <Field name="name" label="Name" hint="Defaults to the number." />
        <Select
          name="carrier"
          label="Carrier account"
          options={accountOptions(usable)}
          value="simulator"
          {...(usable.length === 0 ? { hint: 'No carrier accounts yet. Add one under Carriers first.' } : {})}
        />
        <LimitFields countries="" perNumber={5} perMinute={30} />
        <button type="submit">Add line</button>
      </Form>
    </details>
  )
}

export const postUserLine = userAct('line-added', (context, { id: userId }, ctx) => {
  const country = fieldOf(ctx, 'country').trim()
  return addLine(context, {
    userId,
    number: fieldOf(ctx, 'number'),
    name: fieldOf(ctx, 'name'),
    carrierAccount: fieldOf(ctx, 'carrier'),
    ...(country === '' ? {} : { country }),
    ...readLimitFields(ctx),
  })
})

export function postUserLineStatus(status: 'active' | 'disabled') {
  return userAct(status === 'active' ? 'line-enabled' : 'line-disabled', (context, { id }, ctx) =>
    setLineStatus(context, id, idOf(ctx, 'lineId'), status),
  )
}

export const postUserLinePause = userAct('sending-paused', async (context, { id }, ctx) =>
  pauseLine(context, pauserOf(ctx), await getOwnLine(context, id, idOf(ctx, 'lineId'))),
)

export const postUserLineResume = userAct('sending-resumed', async (context, { id }, ctx) =>
  resumeLine(context, pauserOf(ctx), await getOwnLine(context, id, idOf(ctx, 'lineId'))),
)

/** The link is a secret, which the page shows once. */
export function postSetUpLink(context: Context): Act {
  return async (ctx) => {
    const user = await getUser(context, idOf(ctx, 'userId'))
    return setUpLinkAt(context, user, await createSetUpLink(context, user.id))
  }
}
