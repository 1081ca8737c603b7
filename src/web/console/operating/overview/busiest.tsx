import { countOf, describeCount } from '../../../../domain/operating/overview/figures.js'
import {
  DIMENSIONS,
  type Busiest,
  type Busy,
  type Dimension,
} from '../../../../domain/operating/overview/overview.js'
import { SPANS, type Span } from '../../../../domain/operating/overview/spans.js'
import { Time } from '../../form.js'
import { OVERVIEW } from '../../home.js'
import { PhoneNumber } from '../../messages/phone-number.js'
import { Table } from '../../parts/table.js'
import { Bars } from '../../sparkline.js'
import { userPath } from '../../people/user/path.js'
import { UserText } from '../../user-text.js'
import { DimensionLinks } from './links.js'

const NOUNS: Record<Dimension, string> = {
  user: 'User',
  line: 'Line',
  carrier: 'Carrier account',
  endpoint: 'Endpoint',
}

/** Shows the sources of the charts' traffic, the busiest first, each with a chart and a link. */
export function BusiestOf(props: { busiest: Busiest; by: Dimension; span: Span; userId: string }) {
  const { busiest, by, span, userId } = props
  return (
    <>
      <DimensionLinks path={OVERVIEW} span={span} by={by} dimensions={DIMENSIONS} />
      {busiest.rows.length === 0 ? (
        <p class="empty">
          No {by === 'endpoint' ? 'events' : 'messages'} in {SPANS[span].words}.
        </p>
      ) : (
        <BusyTable {...{ by, span, pathOf: (busy) => pathOf(busy, by, userId) }} rows={busiest.rows} />
      )}
      {busiest.lookedBackTo !== null && (
        <p class="muted">
          Based on the newest 50,000 {by === 'endpoint' ? 'events' : 'messages'}, since{' '}
          <Time at={busiest.lookedBackTo} />.
        </p>
      )}
    </>
  )
}

/**
 * @param props.pathOf where the name of a row leads
 * @param props.figurePathOf where its figures lead. Left out: to the same page
 */
export function BusyTable(props: {
  rows: readonly Busy[]
  by: Dimension
  span: Span
  pathOf: (busy: Busy) => string
  figurePathOf?: (busy: Busy, figure: 'out' | 'in' | 'failed') => string
}) {
  const { rows, by, span, pathOf, figurePathOf = pathOf } = props
  const isOfEvents = by === 'endpoint'
  const out = isOfEvents ? 'Events' : 'Accepted'
  const overTime = `${isOfEvents ? 'Events' : 'Messages'}, ${SPANS[span].label}`
  const figure = (name: 'out' | 'in' | 'failed') => (busy: Busy) => (
    <a href={figurePathOf(busy, name)}>{describeCount(busy[`${name}Count`])}</a>
  )
  return (
    <Table
      rows={rows}
      class="busy"
      columns={{
        [NOUNS[by]]: (busy) => (
          <span>
            <a href={pathOf(busy)}>
              <UserText>{busy.name}</UserText>
            </a>{' '}
            {busy.number !== null && (
              <>
                <span class="muted">
                  <PhoneNumber number={busy.number} />
                </span>{' '}
              </>
            )}
            {by !== 'user' && busy.ownerEmail !== null && (
              <a href={userPath(busy.userId ?? '')} class="muted">
                {busy.ownerEmail}
              </a>
            )}
          </span>
        ),
        [out]: figure('out'),
        Received: !isOfEvents && figure('in'),
        Failed: figure('failed'),
        [overTime]: (busy) => <BusyBars busy={busy} noun={isOfEvents ? 'event' : 'message'} span={span} />,
      }}
      looks={{ [out]: 'r', Received: 'r', Failed: 'r', [overTime]: 'r' }}
    />
  )
}

/** Another user's things are reached by that user's page. */
function pathOf({ id, userId: owner }: Busy, by: Dimension, userId: string): string {
  if (by === 'carrier') return `/console/carriers/${id}`
  if (by === 'user' || owner !== userId) return `/console/users/${owner ?? id}`
  return `/console/${by === 'line' ? 'lines' : 'endpoints'}/${id}`
}

function BusyBars(props: { busy: Busy; noun: 'event' | 'message'; span: Span }) {
  const {
    busy: { bins, outCount, inCount, failedCount },
    noun,
    span,
  } = props
  const { words, binSeconds, binCount } = SPANS[span]
  const most = Math.max(...bins.map(({ count }) => count), 0)
  const bar = binSeconds < 3600 ? countOf(binSeconds / 60, 'minute') : countOf(binSeconds / 3600, 'hour')
  const summary =
    `${countOf(outCount + inCount, noun)} in ${words}, ${describeCount(failedCount)} failed. ` +
    `Each bar is ${bar}; the highest is ${countOf(most, noun)}.`
  const bars = bins.map(({ bin: at, count, failed: bad }) => ({ at, good: count - bad, bad }))
  return <Bars count={binCount} summary={summary} bars={bars} />
}
