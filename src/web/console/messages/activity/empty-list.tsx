import type { OwnLine } from '../../../../database/lines/lines.js'
import { Empty } from '../../form.js'
import { tabPath } from '../../lines/line/section.js'
import type { Page } from '../../page.js'
import { filterPath } from '../../time-filter.js'
import { chosenOf, type WrittenFilter } from './filter.js'

/** Explains why the list is empty, and what to do about it. */
export function EmptyList(props: {
  lines: readonly OwnLine[]
  written: WrittenFilter
  isFirst: boolean
  page: Page
}) {
  const { lines, written, isFirst, page } = props
  const { chosen, cleared } = chosenOf(written, page)
  const [line] = lines
  if (!isFirst || chosen.length > 0) {
    return (
      <Empty>
        <p>
          {isFirst ? 'No messages match this filter.' : 'No older messages.'}{' '}
          <a href={filterPath('/console/activity', cleared)}>Clear filters</a>.
        </p>
      </Empty>
    )
  }
  if (line === undefined) {
    return (
      <Empty>
        No activity yet, because you have no lines. <a href="/console">Go to Lines</a>.
      </Empty>
    )
  }
  return (
    <Empty>
      <p>No activity yet. Messages and deliveries appear here automatically. To get started:</p>
      <ul>
        <li>
          Send a text with the <code>curl</code> command on{' '}
          <a href={tabPath(line.id, 'send')}>your line's Send tab</a>.
        </li>
        {page.hasSimulator && (
          <li>
            Receive one by texting the line from the <a href="/simulator">phone simulator</a>.
          </li>
        )}
      </ul>
    </Empty>
  )
}
