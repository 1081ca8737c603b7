import { countActivities, MAX_COUNTED, type ActivityFilter } from '../../../domain/messages/activity.js'
import type { Context } from '../../../domain/context.js'

const DAY_MS = 86_400_000

/** The outcomes of a day's messages. */
export interface DayFigures {
  sent: number
  delivered: number
  failed: number
  waiting: number
}

/** @param filter.lineId if left out, all of the user's lines are counted */
export async function countDay(
  context: Context,
  userId: string,
  filter: Pick<ActivityFilter, 'lineId'> = {},
): Promise<DayFigures> {
  const count = (more: ActivityFilter) =>
    countActivities(context, userId, { ...filter, from: new Date(Date.now() - DAY_MS), ...more })
  const [sent, delivered, failed, waiting] = await Promise.all([
    count({ direction: 'outbound' }),
    count({ direction: 'outbound', status: 'delivered' }),
    count({ direction: 'outbound', status: 'failed' }),
    count({ direction: 'outbound', status: 'queued' }),
  ])
  return { sent, delivered, failed, waiting }
}

/** Shows four figures, each with a link to what it counts. */
export function Figures({ figures, lineId }: { figures: DayFigures; lineId?: string }) {
  const { sent, delivered, failed, waiting } = figures
  return (
    <ul class="figures" aria-label="Messages in the last 24 hours">
      <Figure label="Sent, 24 h" count={sent} lineId={lineId} />
      <Figure label="Delivered" count={delivered} of={sent} status="delivered" lineId={lineId} />
      <Figure label="Failed" count={failed} of={sent} status="failed" lineId={lineId} isBad={failed > 0} />
      <Figure label="Waiting" count={waiting} status="queued" lineId={lineId} />
    </ul>
  )
}

function Figure(props: {
  label: string
  count: number
  /** The number that it is a share of. */
  of?: number
  status?: string
  lineId: string | undefined
  isBad?: boolean
}) {
  const { label, count, of = 0, status, lineId, isBad = false } = props
  const query = new URLSearchParams({
    direction: 'outbound',
    ...(status === undefined ? {} : { status }),
    ...(lineId === undefined ? {} : { line: lineId }),
  })
  return (
    <li>
      <a href={`/console/activity?${query.toString()}`}>
        <small>{label}</small>{' '}
        <b class={isBad ? 'bad' : ''}>
          {count > MAX_COUNTED ? `${MAX_COUNTED.toLocaleString('en')}+` : count.toLocaleString('en')}{' '}
          {count > 0 && of > 0 && of <= MAX_COUNTED && <small>{percent(count / of)}</small>}
        </b>
      </a>
    </li>
  )
}

/** Rounds down, because 100% would say that none is missing. */
export function percent(share: number): string {
  return share === 0 || share === 1 ? `${share * 100}%` : `${(Math.floor(share * 1000) / 10).toFixed(1)}%`
}
