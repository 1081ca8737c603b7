import {
  countActivities,
  MAX_COUNTED,
  type ActivityCount,
  type ActivityFilter,
} from '../../../domain/messages/activity.js'
import type { Context } from '../../../domain/context.js'
import { filterPath, writeInstant } from '../time-filter.js'

const DAY_MS = 86_400_000

/** The outcomes of the messages that were accepted in a day, and all that wait. */
export interface DayFigures {
  /** When the day began, to the minute as in an address. */
  from: Date
  /** Those that were accepted in the day. They may be scheduled for later, so not all of them were sent. */
  accepted: ActivityCount
  delivered: ActivityCount
  failed: ActivityCount
  waiting: ActivityCount
}

/** @param filter.lineId if left out, all of the user's lines are counted */
export async function countDay(
  context: Context,
  userId: string,
  filter: Pick<ActivityFilter, 'lineId'> = {},
): Promise<DayFigures> {
  const from = new Date(Math.floor((Date.now() - DAY_MS) / 60_000) * 60_000)
  const count = (more: ActivityFilter) =>
    countActivities(context, userId, { ...filter, direction: 'outbound', ...more })
  const [accepted, delivered, failed, waiting] = await Promise.all([
    count({ from }),
    count({ from, status: 'delivered' }),
    count({ from, status: 'failed' }),
    // These are not limited to the day: a message that has waited for longer is what somebody has to know.
    count({ status: 'queued' }),
  ])
  return { from, accepted, delivered, failed, waiting }
}

/** Shows four figures, each with a link to exactly what it counts. */
export function Figures({ figures, lineId }: { figures: DayFigures; lineId?: string }) {
  const { from, accepted, delivered, failed, waiting } = figures
  const ofDay = { from, lineId }
  return (
    <ul class="figures" aria-label="Messages accepted in the last 24 hours, and waiting now">
      <Figure label="Accepted, 24 h" count={accepted} {...ofDay} />
      <Figure label="Delivered" count={delivered} of={accepted} status="delivered" {...ofDay} />
      <Figure
        label="Failed"
        count={failed}
        of={accepted}
        status="failed"
        isBad={failed.count > 0}
        {...ofDay}
      />
      <Figure label="Waiting" count={waiting} status="queued" lineId={lineId} />
    </ul>
  )
}

function Figure(props: {
  label: string
  count: ActivityCount
  /** The number that it is a share of. */
  of?: ActivityCount
  status?: string
  from?: Date
  lineId: string | undefined
  isBad?: boolean
}) {
  const { label, count, of, status, from, lineId, isBad = false } = props
  const filter = { direction: 'outbound', status, line: lineId, from: from && writeInstant(from) }
  return (
    <li>
      <a href={filterPath('/console/activity', filter)}>
        <small>{label}</small>{' '}
        <b class={isBad ? 'bad' : ''}>
          {describeTotal(count)}{' '}
          {of !== undefined && isExact(of) && isExact(count) && count.count > 0 && of.count > 0 && (
            <small>{percent(count.count / of.count)}</small>
          )}
        </b>
      </a>
    </li>
  )
}

function isExact({ count, isInPart }: ActivityCount): boolean {
  return !isInPart && count <= MAX_COUNTED
}

/** Describes a total, with a plus if there may be more. */
function describeTotal(total: ActivityCount): string {
  return `${Math.min(total.count, MAX_COUNTED).toLocaleString('en')}${isExact(total) ? '' : '+'}`
}

/** Rounds down, because 100% would say that none is missing. */
export function percent(share: number): string {
  return share === 0 || share === 1 ? `${share * 100}%` : `${(Math.floor(share * 1000) / 10).toFixed(1)}%`
}
