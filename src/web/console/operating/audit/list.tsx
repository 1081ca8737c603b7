import type { ListedAuditRow } from '../../../../domain/operating/audit.js'
import {
  describeAction,
  describeActor,
  changesOf,
  type Change,
} from '../../../../domain/operating/audit/describe.js'
import { Table } from '../../parts/table.js'
import { TimeIn } from '../../time-filter-fields.js'
import { UserText } from '../../user-text.js'
import { LOG } from './paths.js'

/** @param props.isOwn true for the reader's own part, which leaves out the owner */
export function AuditList(props: {
  rows: readonly ListedAuditRow[]
  zone: string | undefined
  isOwn: boolean
}) {
  const { rows, zone, isOwn } = props
  return (
    <Table
      rows={rows}
      columns={{
        Action: (row) => <What row={row} isOwn={isOwn} />,
        Actor: (row) => <UserText>{describeActor(row)}</UserText>,
        Owner:
          !isOwn &&
          (({ userId, userEmail }) =>
            userId !== null && <a href={`${LOG}?user=${userId}`}>{userEmail ?? userId}</a>),
        // An IPv6 address may break between its groups.
        Address: ({ address }) => address?.split(/(?<=:)/).map((part) => [part, <wbr />]),
        Time: ({ at }) => <TimeIn zone={zone} at={at} />,
      }}
      looks={{ Address: 'whole', Time: 'r' }}
      bare={['Action', 'Actor', 'Address', 'Time']}
    />
  )
}

function What({ row, isOwn }: { row: ListedAuditRow; isOwn: boolean }) {
  const { action, subjectId, subjectName } = row
  const changes = changesOf(row)
  return (
    // This is one element, because on a phone the cell lays out its children side by side.
    <div>
      <span title={action}>{describeAction(row)}</span>
      {subjectName !== null && ': '}
      {subjectName !== null &&
        (isOwn || subjectId === null ? (
          <UserText>{subjectName}</UserText>
        ) : (
          <a href={`${LOG}?subject=${subjectId}`}>
            <UserText>{subjectName}</UserText>
          </a>
        ))}
      {changes.length > 0 && (
        <ul class="changes">
          {changes.map((change) => (
            <li key={change.name}>
              <Changed change={change} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Changed({ change: { name, before, after } }: { change: Change }) {
  return (
    <>
      <code>{name}</code>: {before !== undefined && <UserText>{before}</UserText>}
      {before !== undefined && after !== undefined && ' → '}
      {before !== undefined && after === undefined && ' (before)'}
      {after !== undefined && <UserText>{after}</UserText>}
    </>
  )
}
