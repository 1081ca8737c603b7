import type { Context as KoaContext, Middleware } from 'koa'
import { countUsers, listUsers, USER_STATES, type UserState } from '../../../database/people/users.js'
import { storable } from '../../../database/text.js'
import type { Context } from '../../../domain/context.js'
import { createSetUpLink, type SetUpLink } from '../../../domain/people/set-up-links.js'
import { addUser } from '../../../domain/people/users.js'
import { cursorOf, fieldOf } from '../form-values.js'
import { Empty, Field, Form, Select, Time } from '../form.js'
import { Layout } from '../layout.js'
import { ListControls, searchOf } from '../listing.js'
import { answerPage, pageOf, shownOnce, type Act, type Page, type ShownOnce } from '../page.js'
import { userPath, USERS } from './user/path.js'
import { OlderPages } from '../parts/older-pages.js'
import { PageHead } from '../parts/page-head.js'
import { Table } from '../parts/table.js'
import { Copyable } from '../secret.js'
import { filterPath, writtenParameters } from '../time-filter.js'
import { UserText } from '../user-text.js'

const PAGE_SIZE = 25

const STATE_WORDS: Record<UserState, string> = {
  active: 'Set up',
  waiting: 'Not set up yet',
  disabled: 'Disabled',
  'no-second-factor': 'No second factor',
}

/** Shows operators the users who may sign in. */
export function showUsers(context: Context): Middleware {
  return async (ctx) => {
    const page = pageOf(ctx, context)
    const asked = writtenParameters(ctx, ['q', 'role', 'state', 'sort'])
    const isByEmail = asked.sort === 'email'
    const before = cursorOf(ctx)
    const filter = {
      words: asked.q === undefined ? undefined : storable(asked.q.trim().slice(0, 254)),
      role: (['user', 'operator'] as const).find((role) => role === asked.role),
    }
    const state = USER_STATES.find((each) => each === asked.state)
    const [found, counts] = await Promise.all([
      listUsers(
        context.db,
        { limit: PAGE_SIZE + 1, before },
        { ...filter, state },
        isByEmail ? 'email' : 'newest',
      ),
      countUsers(context.db, filter),
    ])
    const listing = searchOf(USERS, asked.q ?? '', {
      count: counts.all,
      state: state ?? '',
      states: [
        { value: '', label: 'All', count: counts.all },
        ...USER_STATES.map((value) => ({ value, label: STATE_WORDS[value], count: counts[value] })),
      ],
      sort: isByEmail ? 'email' : '',
      sorts: [
        ['', 'Newest first'],
        ['email', 'Email'],
      ],
      more: { role: filter.role ?? '' },
    })
    const users = found.slice(0, PAGE_SIZE)
    const isAdding = ctx.query.new !== undefined || page.fault?.action === USERS
    answerPage(
      ctx,
      <Layout page={page} title="Users">
        <PageHead
          title="Users"
          acts={
            !isAdding && (
              <a href={`${USERS}?new`} role="button" class="primary plus">
                Add user
              </a>
            )
          }
        />
        {isAdding && <AddUser page={page} />}
        <ListControls label="Users" listing={listing}>
          <Select
            name="role"
            label="Role"
            value={filter.role ?? ''}
            options={[
              ['', 'Any'],
              ['user', 'User'],
              ['operator', 'Operator'],
            ]}
          />
        </ListControls>
        {users.length === 0 ? (
          <Empty>No users match this filter.</Empty>
        ) : (
          <Table
            rows={users}
            columns={{
              User: ({ id, email, name }) => (
                <>
                  <a href={userPath(id)} class="name">
                    <UserText>{name}</UserText>
                  </a>
                  {name !== email && <small>{email}</small>}
                </>
              ),
              Role: ({ role }) => (role === 'operator' ? 'Operator' : 'User'),
              'Second factor': ({ hasSecondFactor }) => (hasSecondFactor ? 'On' : 'Off'),
              State: ({ hasPassword, disabledAt }) =>
                disabledAt !== null ? (
                  <span class="badge bad">disabled</span>
                ) : hasPassword ? (
                  <span class="badge good">set up</span>
                ) : (
                  <span class="badge">not set up yet</span>
                ),
            }}
            bare={['User', 'Role']}
          />
        )}
        <OlderPages
          words={['First page', 'Next']}
          newest={before === undefined ? undefined : filterPath(USERS, asked)}
          older={found.length > PAGE_SIZE ? filterPath(USERS, asked, users.at(-1)?.id) : undefined}
        />
      </Layout>,
    )
  }
}

function AddUser({ page }: { page: Page }) {
  return (
    <section aria-labelledby="new-user">
      <h2 id="new-user">Add a user</h2>
      <p>You get a set-up link to send them. They use it to set a password.</p>
      <Form page={page} action={USERS}>
        <Field name="email" label="Email" type="email" required />
        <Field name="name" label="Name" />
        <Select
          name="role"
          label="Role"
          value="user"
          options={[
            ['user', 'User: manages their own lines'],
            ['operator', 'Operator: also manages users, their lines, and the queues'],
          ]}
        />
        <button type="submit" class="primary">
          Add user
        </button>
      </Form>
    </section>
  )
}

/** The link is a secret, which the user's page shows once. */
export function postUser(context: Context): Act {
  return async (ctx) => {
    const user = await addUser(context, {
      email: fieldOf(ctx, 'email'),
      name: fieldOf(ctx, 'name'),
      role: fieldOf(ctx, 'role') === 'operator' ? 'operator' : 'user',
    })
    return setUpLinkAt(context, user, await createSetUpLink(context, user.id))
  }
}

interface ShownSetUpLink {
  user: { id: string; email: string }
  link: SetUpLink
}

export function setUpLinkAt(context: Context, user: ShownSetUpLink['user'], link: SetUpLink): ShownOnce {
  const shown: ShownSetUpLink = { user: { id: user.id, email: user.email }, link }
  return { shown, at: userPath(user.id), by: (ctx) => void showSetUpLink(context, ctx) }
}

/** @returns false if there is no new link to show */
export function showSetUpLink(context: Context, ctx: KoaContext): boolean {
  const { user, link } = shownOnce<ShownSetUpLink>(ctx)
  if (user === undefined || link === undefined) return false
  const expiresAt = new Date(link.expiresAt)
  answerPage(ctx, <SetUpLinkPage page={pageOf(ctx, context)} user={user} link={{ ...link, expiresAt }} />)
  return true
}

function SetUpLinkPage(props: { page: Page; user: { id: string; email: string }; link: SetUpLink }) {
  const { page, user, link } = props
  return (
    <Layout page={page} title="Set-up link">
      <h1>Set-up link for {user.email}</h1>
      <p>
        They use this link to set a password and sign in. It works once, expires on{' '}
        <Time at={link.expiresAt} />, and is not shown again.
      </p>
      <Copyable id="set-up-link" text={link.url} what="the link" />
      <p>
        Next: <a href={userPath(user.id)}>give {user.email} a line</a>.
      </p>
    </Layout>
  )
}
