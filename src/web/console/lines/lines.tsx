import type { Middleware } from 'koa'
import { listLineHealth, type LineHealth } from '../../../database/lines/line-health.js'
import type { Context } from '../../../domain/context.js'
import { causesOfLine, groupCauses, type Cause } from '../../../domain/operating/causes.js'
import { findTour } from '../../../domain/lines/first-steps.js'
import { listOwnLines } from '../../../domain/lines/lines.js'
import { Attention } from '../attention.js'
import { Ago, Empty } from '../form.js'
import { Layout } from '../layout.js'
import { ListControls, listingOf, ListPages, type ListingOf } from '../listing.js'
import { linePath } from './line/section.js'
import { LineState } from './line/state.js'
import { countDay, Figures } from '../parts/figures.js'
import { PageHead } from '../parts/page-head.js'
import { Table } from '../parts/table.js'
import { answerPage, pageOf, type Page } from '../page.js'
import { PhoneNumber } from '../messages/phone-number.js'
import { reachedOf } from '../portal/gate.js'
import { sessionOf } from '../people/session.js'
import { Sparkline } from '../sparkline.js'
import { TourSection } from './start/tour.js'
import { UserText } from '../user-text.js'

type Line = Awaited<ReturnType<typeof listOwnLines>>[number]

/** Shows the first page: the user's lines, their state, and those that need attention. */
export function showLines(context: Context): Middleware {
  return async (ctx) => {
    const page = pageOf(ctx, context)
    const { userId } = sessionOf(ctx)
    const [lines, health, tour, figures] = await Promise.all([
      listOwnLines(context, userId),
      listLineHealth(context.db, userId),
      findTour(context, userId),
      countDay(context, userId),
    ])
    const healthOf = new Map(health.map((each) => [each.lineId, each]))
    const rows = reachedOf(ctx, lines, ({ id }) => id).map((line) => {
      const found = healthOf.get(line.id)
      return { line, health: found, causes: causesOfLine(line, found) }
    })
    const needs = groupCauses(rows.flatMap(({ causes }) => causes))
    const listing = listingOf(ctx, rows, LISTED)
    answerPage(
      ctx,
      <Layout page={page} title="Lines">
        <PageHead
          title="Lines"
          beside={rows.length > 0 && <span class="count">{rows.length}</span>}
          acts={
            <>
              {rows.length > 0 && !page.isPortal && (
                <a href="/console/traffic" role="button">
                  Traffic
                </a>
              )}
              {page.session?.role === 'operator' && <AddLine userId={userId} />}
            </>
          }
        />
        {!page.isPortal && <TourSection page={page} tour={tour} />}
        {needs.length > 0 && (
          <section aria-labelledby="needs">
            <h2 id="needs">
              Needs attention <span class="count">{needs.length}</span>
            </h2>
            <Attention {...{ page, needs, userId }} back="/console" />
          </section>
        )}
        {/* These are about all lines. */}
        {rows.length > 0 && !page.isPortal && <Figures figures={figures} />}
        <ListControls listing={listing} label="Lines" />
        {rows.length === 0 ? (
          <NoLines page={page} />
        ) : listing.shown.length === 0 ? (
          <Empty>No lines match this filter.</Empty>
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
  /** undefined if the line was added a moment ago. */
  health: LineHealth | undefined
  causes: readonly Cause[]
}

const LISTED: ListingOf<LineRow> = {
  words: ({ line: { id, name, number } }) => [id, name, number],
  states: {
    attention: { label: 'Needs attention', has: ({ causes }) => causes.length > 0 },
    healthy: { label: 'Healthy', has: ({ causes }) => causes.length === 0 },
    disabled: { label: 'Disabled', has: ({ line }) => line.status === 'disabled' },
    paused: { label: 'Paused', has: ({ line }) => line.pausedAt !== null },
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

function AddLine({ userId }: { userId: string }) {
  return (
    <a href={`/console/users/${userId}?new-line#new-line`} role="button" class="primary plus">
      Add line
    </a>
  )
}

function LineTable({ rows }: { rows: readonly LineRow[] }) {
  return (
    <Table
      rows={rows}
      class="lines"
      columns={{
        Name: ({ line: { id, name } }) => (
          <a href={linePath(id)} class="name">
            <UserText>{name}</UserText>
          </a>
        ),
        Number: ({ line: { name, number } }) =>
          name === number ? 'No name yet' : <PhoneNumber number={number} />,
        State: ({ line, health }) => <LineState line={line} health={health} />,
        'Events, 24 h': ({ health }) =>
          health?.endpoints[0] === undefined ? (
            <span class="muted">No endpoint</span>
          ) : (
            <Sparkline events={health.events} />
          ),
        'Last activity': ({ line: { lastActivityAt: at } }) => (at === null ? 'None yet' : <Ago at={at} />),
      }}
      looks={{ Number: 'wide muted', 'Events, 24 h': 'wide r', 'Last activity': 'r muted' }}
    />
  )
}

export function LineStatus({ line: { status, pausedAt } }: { line: Pick<Line, 'status' | 'pausedAt'> }) {
  return (
    <>
      <span class={status === 'active' ? 'badge good' : 'badge bad'}>{status}</span>
      {pausedAt !== null && (
        <>
          {' '}
          <span class="badge info paused">sending paused</span>
        </>
      )}
    </>
  )
}

function NoLines({ page: { session, hasSimulator } }: { page: Page }) {
  if (session?.role !== 'operator') {
    return (
      <Empty>
        <p>You have no lines yet. Ask your operator to give you one.</p>
        {hasSimulator && <p>A simulator line is enough to try everything out.</p>}
      </Empty>
    )
  }
  return (
    <Empty>
      <p>
        You have no lines yet. Add one under{' '}
        <a href={`/console/users/${session.userId}`}>Users → {session.email}</a>.
      </p>
      {hasSimulator && (
        <p>
          The phone simulator is on. A line with the carrier “Simulator” and any number, such as +15551234567,
          works right away and is free.
        </p>
      )}
    </Empty>
  )
}
