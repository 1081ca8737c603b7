import type { Middleware } from 'koa'
import { listLineHealth, type LineHealth } from '../../../database/lines/line-health.js'
import type { Context } from '../../../domain/context.js'
import { causesOfLine, groupCauses, type Cause } from '../../../domain/operating/causes.js'
import { findTour } from '../../../domain/lines/first-steps.js'
import { listOwnLines } from '../../../domain/lines/lines.js'
import { Attention } from '../attention.js'
import { EndpointState, OnOff } from '../endpoints/state.js'
import { Ago, Empty } from '../form.js'
import { Layout } from '../layout.js'
import { ListControls, listingOf, ListPages, type ListingOf } from '../listing.js'
import { linePath } from './line/section.js'
import { answerPage, pageOf, type Page } from '../page.js'
import { PhoneNumber } from '../messages/phone-number.js'
import { sessionOf } from '../people/session.js'
import { Sparkline } from '../sparkline.js'
import { TourSection } from './start/tour.js'
import { UserText } from '../user-text.js'

type Line = Awaited<ReturnType<typeof listOwnLines>>[number]

/** The first page: the user's lines, how they do, and which need somebody. */
export function showLines(context: Context): Middleware {
  return async (ctx) => {
    const page = pageOf(ctx, context)
    const { userId } = sessionOf(ctx)
    const [lines, health, tour] = await Promise.all([
      listOwnLines(context, userId),
      listLineHealth(context.db, userId),
      findTour(context, userId),
    ])
    const healthOf = new Map(health.map((each) => [each.lineId, each]))
    const rows = lines.map((line) => {
      const found = healthOf.get(line.id)
      return { line, health: found, causes: causesOfLine(line, found) }
    })
    const needs = groupCauses(rows.flatMap(({ causes }) => causes))
    const listing = listingOf(ctx, rows, LISTED)
    answerPage(
      ctx,
      <Layout page={page} title="Lines">
        <h1>Lines</h1>
        <TourSection page={page} tour={tour} />
        {needs.length > 0 && (
          <section aria-labelledby="needs">
            <h2 id="needs">Needs attention</h2>
            <Attention {...{ page, needs, userId }} back="/console" />
          </section>
        )}
        <ListControls listing={listing} label="Lines" />
        {rows.length === 0 ? (
          <NoLines page={page} />
        ) : listing.shown.length === 0 ? (
          <Empty>No line fits this filter.</Empty>
        ) : (
          <LineTable rows={listing.shown} />
        )}
        <ListPages listing={listing} />
      </Layout>,
    )
  }
}

interface LineRow {
  line: Line
  /** undefined: the line was added a moment ago. */
  health: LineHealth | undefined
  causes: readonly Cause[]
}

const LISTED: ListingOf<LineRow> = {
  words: ({ line: { id, name, number } }) => [id, name, number],
  states: {
    attention: { label: 'Needs attention', has: ({ causes }) => causes.length > 0 },
    working: { label: 'Working', has: ({ causes }) => causes.length === 0 },
    disabled: { label: 'Disabled', has: ({ line }) => line.status === 'disabled' },
    paused: { label: 'Sending paused', has: ({ line }) => line.pausedAt !== null },
    unconnected: { label: 'Not connected', has: ({ line }) => !line.isConnected },
  },
  sorts: {
    added: { label: 'Added', compare: (one, other) => (one.line.id < other.line.id ? -1 : 1) },
    name: { label: 'Name', compare: (one, other) => one.line.name.localeCompare(other.line.name) },
    activity: {
      label: 'Last activity',
      compare: (one, other) => Number(other.line.lastActivityAt) - Number(one.line.lastActivityAt),
    },
  },
}

function LineTable({ rows }: { rows: readonly LineRow[] }) {
  return (
    <table class="rows">
      <thead>
        <tr>
          <th>Line</th>
          <th>Status</th>
          <th>Connection</th>
          <th>Incoming</th>
          <th>Endpoint</th>
          <th>24 h</th>
          <th>Last activity</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ line: { id, number, name, status, pausedAt, isConnected, lastActivityAt }, health }) => (
          <tr key={id}>
            <td data-label="Line">
              <span class="two-lines">
                <a href={linePath(id)}>
                  <PhoneNumber number={number} />
                </a>
                {name === number ? <span class="muted">no name yet</span> : <UserText>{name}</UserText>}
              </span>
            </td>
            <td data-label="Status">
              <LineStatus line={{ status, pausedAt }} />
            </td>
            <td data-label="Connection">
              <OnOff isOn={isConnected} />
            </td>
            <td data-label="Incoming">
              <OnOff isOn={health?.hasIncomingWebhook ?? false} />
            </td>
            <td data-label="Endpoint">
              <EndpointState endpoint={health?.endpoints[0] ?? null} />
            </td>
            <td data-label="24 h">
              {health?.endpoints[0] !== undefined && <Sparkline hours={health.hours} />}
            </td>
            <td data-label="Last activity">
              {lastActivityAt === null ? <span class="muted">none yet</span> : <Ago at={lastActivityAt} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function LineStatus({ line: { status, pausedAt } }: { line: Pick<Line, 'status' | 'pausedAt'> }) {
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
