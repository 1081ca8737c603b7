import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { listOwnLines } from '../../domain/lines.js'
import { Empty, Time } from './form.js'
import { Layout } from './layout.js'
import { linePath } from './line/section.js'
import { answerPage, pageOf, type Page } from './page.js'
import { sessionOf } from './session.js'
import { UserText } from './user-text.js'

type Lines = Awaited<ReturnType<typeof listOwnLines>>

/** The first page: the user's lines. */
export function showLines(context: Context): Middleware {
  return async (ctx) => {
    const page = pageOf(ctx, context)
    const lines = await listOwnLines(context, sessionOf(ctx).userId)
    answerPage(
      ctx,
      <Layout page={page} title="Lines">
        <h1>Lines</h1>
        {lines.length === 0 ? <NoLines page={page} /> : <LineTable lines={lines} />}
      </Layout>,
    )
  }
}

function LineTable({ lines }: { lines: Lines }) {
  return (
    <table class="rows">
      <thead>
        <tr>
          <th>Number</th>
          <th>Name</th>
          <th>Status</th>
          <th>Developer connection</th>
          <th>Last activity</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ id, number, name, status, pausedAt, isConnected, lastActivityAt }) => (
          <tr key={id}>
            <td data-label="Number">
              <a href={linePath(id)}>{number}</a>
            </td>
            <td data-label="Name">
              {name === number ? <span class="muted">no name yet</span> : <UserText>{name}</UserText>}
            </td>
            <td data-label="Status">
              <LineStatus line={{ status, pausedAt }} />
            </td>
            <td data-label="Developer connection">
              <span class={isConnected ? 'badge good' : 'badge'}>{isConnected ? 'on' : 'off'}</span>
            </td>
            <td data-label="Last activity">
              {lastActivityAt === null ? <span class="muted">none yet</span> : <Time at={lastActivityAt} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function LineStatus({
  line: { status, pausedAt },
}: {
  line: Pick<Lines[number], 'status' | 'pausedAt'>
}) {
  return (
    <>
      <span class={status === 'active' ? 'badge good' : 'badge bad'}>{status}</span>
      {pausedAt !== null && (
        <>
          {' '}
          <span class="badge bad">sending paused</span>
        </>
      )}
    </>
  )
}

function NoLines({ page: { session, hasSimulator } }: { page: Page }) {
  if (session?.role !== 'operator') {
    return (
      <Empty>
        <p>You have no line yet. Ask whoever runs this service to give you one; it is listed here then.</p>
        {hasSimulator && <p>A line at the simulator is enough to try everything out.</p>}
      </Empty>
    )
  }
  return (
    <Empty>
      <p>
        You have no line yet. Add one under{' '}
        <a href={`/console/users/${session.userId}`}>Users → {session.email}</a>.
      </p>
      {hasSimulator && (
        <p>
          The phone simulator is on: a line with the carrier “Simulator” and any number, such as +15551234567,
          works at once and costs nothing.
        </p>
      )}
    </Empty>
  )
}
