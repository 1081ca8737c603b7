import type { Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { findContacts, type Contact } from '../../../domain/lines/contacts.js'
import { listPrivateAccess, openNumberSearch } from '../../../domain/people/private-access.js'
import { MAX_FOUND, search, type Found, type FoundMessage } from '../../../domain/messages/search.js'
import type { Session } from '../../../domain/people/sessions.js'
import { refusalOf, UserError } from '../../../errors.js'
import { writeParty } from '../../input/query.js'
import { actingFor } from '../../actor.js'
import { excerptOf } from './activity/list.js'
import { applicationPath } from '../applications/application/page-model.js'
import { explainFailure } from '../endpoints/failures.js'
import { endpointPath } from '../endpoints/path.js'
import { fieldOf, queryOf } from '../form-values.js'
import { Ago, Empty, Field, Form, Refusal } from '../form.js'
import { Layout } from '../layout.js'
import { linePath } from '../lines/line/section.js'
import { TYPE_LABELS } from './message/labels.js'
import { ContactName } from './conversation/contact-name.js'
import { messagePath } from './message/path.js'
import { PhoneNumber } from './phone-number.js'
import { answerPage, pageOf, type Act, type Page } from '../page.js'
import { Table } from '../parts/table.js'
import { sessionOf } from '../people/session.js'
import { Status } from '../status.js'
import { filterPath } from '../time-filter.js'
import { labelOf, UserText } from '../user-text.js'
import { userMessagePath } from '../people/user/message.js'
import { userPath } from '../people/user/path.js'

const SEARCH = '/console/search'
const LOOK = `${SEARCH}/look`

/** Shows everything with this number, id or name: operators search all data, users their own. */
export function showSearch(context: Context): Middleware {
  return async (ctx) => {
    const session = sessionOf(ctx)
    const written = ctx.method === 'POST' ? fieldOf(ctx, 'q') : queryOf(ctx, 'q')
    const acting = actingFor(ctx, context)
    const page = pageOf(ctx, context)
    const found = written.trim() === '' ? undefined : await search(acting, session, written).catch(refusalOf)
    if (found instanceof UserError) ctx.status = found.status
    const numbers = found === undefined || found instanceof UserError ? [] : found.messages.map(otherNumberOf)
    const contacts = await findContacts(context, session.userId, [...new Set(numbers)])
    answerPage(
      ctx,
      <Layout page={page} title="Search">
        <h1>Search</h1>
        <form method="get" action={SEARCH} class="row">
          <label>
            Text, number, name, URL{session.role === 'operator' && ', email address'} or ID
            <input type="search" name="q" value={written} maxLength={254} dir="auto" required />
          </label>
          <button type="submit">Search</button>
        </form>
        {found === undefined && (
          <p class="muted">
            Finds messages, contacts, lines, endpoints
            {session.role === 'operator' ? ', applications and users' : ' and applications'}.
          </p>
        )}
        {found instanceof UserError && <Refusal fault={found.message} />}
        {found !== undefined && !(found instanceof UserError) && (
          <>
            <Results
              found={found}
              written={written}
              session={session}
              contacts={contacts}
              opened={await openedTo(session, acting)}
            />
            <OthersMessages page={page} others={found.others} written={written} />
          </>
        )}
      </Layout>,
    )
  }
}

/** Shows an operator others' messages with a number, and how to see more. */
function OthersMessages({ page, others, written }: { page: Page; others: Found['others']; written: string }) {
  if (others === 'whole number') {
    return (
      <p class="muted">
        Partial numbers are searched in your own messages only. To search other users' messages, enter the
        whole number and give a reason.
      </p>
    )
  }
  if (others !== 'reason') return null
  return (
    <section aria-labelledby="others">
      <h2 id="others">Other users' messages</h2>
      <p>
        Other users' messages are private. Give a reason to search them: it is recorded in the audit log, and
        every user whose messages contain the number sees it in their history. You can then search for whole
        numbers for 30 minutes.
      </p>
      <Form page={page} action={LOOK}>
        <input type="hidden" name="q" value={written} />
        <Field name="reason" label="Reason" required more={{ maxLength: 300 }} />
        <button type="submit">Search other users' messages</button>
      </Form>
    </section>
  )
}

export function postSearchLook(context: Context): Act {
  return async (ctx) => {
    await openNumberSearch(context, fieldOf(ctx, 'reason'))
    return filterPath(SEARCH, { q: fieldOf(ctx, 'q') })
  }
}

/** Lists the users whose messages an operator has opened by giving a reason. */
async function openedTo({ role }: Session, acting: Context): Promise<Set<string>> {
  return role === 'operator' ? listPrivateAccess(acting) : new Set()
}

function Results(props: {
  found: Found
  written: string
  session: Session
  contacts: ReadonlyMap<string, Contact>
  opened: Set<string>
}) {
  const { found, written, session, opened } = props
  const { messages, lines, applications, contacts, endpoints, users, isIncomplete, isOfNewest } = found
  const isEmpty = [messages, lines, applications, contacts, endpoints, users].every(
    ({ length }) => length === 0,
  )
  const isTheirs = (userId: string) => userId === session.userId
  return (
    <>
      {isIncomplete && (
        <p class="fault">
          There are too many messages to search all of them. Enter a whole number, or filter{' '}
          <a href={filterPath('/console/activity', { text: written })}>Activity</a> by line and time.
        </p>
      )}
      {isOfNewest && (
        <p class="muted">
          Texts and partial numbers are searched in your newest messages only. For older ones, use{' '}
          <a href={filterPath('/console/activity', { text: written })}>Activity</a>.
        </p>
      )}
      {isEmpty && !isIncomplete && found.others !== 'reason' && <Empty>No results.</Empty>}
      {messages.length > 0 && (
        <section aria-labelledby="messages">
          <h2 id="messages">Messages</h2>
          <MoreNote count={messages.length} />
          <Table
            rows={messages.map((message) => ({
              message,
              name: props.contacts.get(otherNumberOf(message))?.name,
              isTheirs: isTheirs(message.userId),
              isOpen: opened.has(message.userId),
            }))}
            hasDrawer
            columns={{
              Message: MessageCell,
              Line: ({ message: { lineName, ownerEmail }, isTheirs }) => (
                <>
                  <UserText>{lineName}</UserText>
                  {!isTheirs && <Owner>{ownerEmail}</Owner>}
                </>
              ),
              Status: ({ message: { status } }) => <Status status={status} />,
              Time: ({ message: { createdAt } }) => <Ago at={createdAt} />,
            }}
            looks={{ Time: 'r' }}
            bare={['Message', 'Line', 'Time']}
          />
        </section>
      )}
      <Links
        title="Lines"
        rows={lines.map(({ id, name, number, userId, ownerEmail }) =>
          isTheirs(userId)
            ? { id, href: linePath(id), label: labelOf(name, number) }
            : { id, href: userPath(userId), label: labelOf(name, number), owner: ownerEmail },
        )}
      />
      <Links
        title="Applications"
        rows={applications.map(({ id, name, userId, ownerEmail }) =>
          isTheirs(userId)
            ? { id, href: applicationPath(id), label: name }
            : { id, href: userPath(userId), label: name, owner: ownerEmail },
        )}
      />
      <Links
        title="Contacts"
        rows={contacts.map(({ number, name }) => ({
          id: number,
          href: filterPath('/console/activity', { number: writeParty(number) }),
          label: labelOf(name, number),
        }))}
      />
      <Links
        title="Endpoints"
        rows={endpoints.map(({ id, name, url }) => ({
          id,
          href: endpointPath(id),
          label: labelOf(name ?? url, url),
        }))}
      />
      <Links
        title="Users"
        rows={users.map(({ id, email, name }) => ({
          id,
          href: userPath(id),
          label: labelOf(name, email),
        }))}
      />
    </>
  )
}

function otherNumberOf({ direction, fromNumber, toNumber }: FoundMessage): string {
  return direction === 'outbound' ? toNumber : fromNumber
}

/** Operators see the outcome of others' messages, and their numbers only after giving a reason. */
function MessageCell(props: {
  message: FoundMessage
  /** The reader's own name for the other party. */
  name: string | null | undefined
  isTheirs: boolean
  isOpen: boolean
}) {
  const { message, name, isTheirs, isOpen } = props
  const { id, direction, type, error, text, userId } = message
  const number = otherNumberOf(message)
  return (
    <>
      <a href={isTheirs ? messagePath(id) : userMessagePath(userId, id)}>
        {`${TYPE_LABELS[type]} ${direction === 'outbound' ? 'to' : 'from'} `}
        {isTheirs ? (
          <ContactName number={number} name={name} />
        ) : isOpen ? (
          <PhoneNumber number={number} />
        ) : (
          `…${number.slice(-2)}`
        )}
      </a>{' '}
      {!isTheirs && <code class="muted">{id}</code>}
      {isTheirs && text !== null && (
        <p class="muted">
          <UserText>{excerptOf(text)}</UserText>
        </p>
      )}
      {error !== null && <p class="why">{explainFailure(error)}</p>}
    </>
  )
}

interface Link {
  id: string
  href: string
  label: string
  /** If left out, it is the reader's. */
  owner?: string
}

function Links({ title, rows }: { title: string; rows: readonly Link[] }) {
  const id = title.toLowerCase()
  if (rows.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <MoreNote count={rows.length} />
      <ul>
        {rows.map(({ id: key, href, label, owner }) => (
          <li key={key}>
            <a href={href}>
              <UserText>{label}</UserText>
            </a>
            {owner !== undefined && <Owner>{owner}</Owner>}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Owner({ children }: { children: string }) {
  return <span class="muted"> of {children}</span>
}

function MoreNote({ count }: { count: number }) {
  return count < MAX_FOUND ? null : (
    <p class="muted">There may be more results. Refine your search to see them.</p>
  )
}
