import type { BusyLine } from '../../../../domain/operating/overview/overview.js'
import { describeCount } from '../../../../domain/operating/overview/figures.js'
import { UserText } from '../../user-text.js'
import { CureLink } from './cure-link.js'

export function BusiestLines({ lines, userId }: { lines: readonly BusyLine[]; userId: string }) {
  if (lines.length === 0) return <p class="empty">No line had a message in the last 15 minutes.</p>
  return (
    <table class="rows">
      <thead>
        <tr>
          <th>Line</th>
          <th>Accepted</th>
          <th>Received</th>
          <th>
            <span class="unseen">What to do</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ id, userId: owner, number, name, acceptedCount, receivedCount }) => (
          <tr key={id}>
            <td data-label="Line">
              <span>
                {number} {name !== number && <UserText>{name}</UserText>}
              </span>
            </td>
            <td data-label="Accepted in 15 minutes">{describeCount(acceptedCount)}</td>
            <td data-label="Received in 15 minutes">{describeCount(receivedCount)}</td>
            <td>
              <CureLink cure={{ at: 'line', userId: owner, lineId: id }} userId={userId} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
