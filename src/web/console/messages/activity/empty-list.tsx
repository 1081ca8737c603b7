import type { OwnLine } from '../../../../database/lines/lines.js'
import { Empty } from '../../form.js'
import { tabPath } from '../../lines/line/section.js'
import type { WrittenFilter } from './filter.js'

/** Why the list is empty, and what to do about it. */
export function EmptyList(props: {
  lines: readonly OwnLine[]
  written: WrittenFilter
  isFirst: boolean
  hasSimulator: boolean
}) {
  const { lines, written, isFirst, hasSimulator } = props
  const [line] = lines
  if (!isFirst || Object.keys(written).some((name) => name !== 'zone')) {
    return (
      <Empty>
        <p>
          {isFirst ? 'Nothing fits this filter.' : 'Nothing is older than this.'}{' '}
          <a href="/console/activity">Show everything</a>.
        </p>
      </Empty>
    )
  }
  if (line === undefined) {
    return (
      <Empty>
        Nothing yet, and no line that anything could happen on. <a href="/console">See your lines</a>.
      </Empty>
    )
  }
  return (
    <Empty>
      <p>Nothing yet. Messages and deliveries appear here by themselves as soon as there are some:</p>
      <ul>
        <li>
          Send a text: <a href={tabPath(line.id, 'send')}>your line</a> has the <code>curl</code> command for
          its incoming webhook.
        </li>
        {hasSimulator && (
          <li>
            Receive one: write to the line from the <a href="/simulator">phone simulator</a>.
          </li>
        )}
      </ul>
    </Empty>
  )
}
