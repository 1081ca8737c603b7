import type { ComponentChildren } from 'preact'
import type { OwnLine } from '../../../database/lines/lines.js'
import type { Usage } from '../../../domain/messages/spending/usage.js'
import { PhoneNumber } from '../messages/phone-number.js'
import { Table } from '../parts/table.js'
import { UserText } from '../user-text.js'

/**
 * Shows the lines' sending by month, and its cost according to carriers. What applies to every row is said once, before
 * `children`.
 */
export function UsageTable(props: {
  usage: readonly Usage[]
  lines: readonly OwnLine[]
  children?: ComponentChildren
}) {
  const { usage, lines, children } = props
  const byId = new Map(lines.map((line) => [line.id, line]))
  const isUnpriced = usage.every(({ prices }) => prices.length === 0)
  const isOwnCount = usage.every(({ carrierSegmentCount }) => carrierSegmentCount === 0)
  const notes = [
    ...(isOwnCount ? ['Segments are counted by Linehook.'] : []),
    ...(isUnpriced ? ['No prices reported yet.'] : []),
  ]
  return (
    <>
      <p class="muted">
        {notes.map((note) => `${note} `)}
        {children}
      </p>
      <Table
        rows={usage.map((row) => ({ ...row, line: byId.get(row.lineId) }))}
        columns={{
          Line: ({ line }) =>
            line !== undefined && (
              <>
                <strong>
                  <UserText>{line.name}</UserText>
                </strong>{' '}
                {line.name !== line.number && (
                  <span class="muted">
                    <PhoneNumber number={line.number} />
                  </span>
                )}
              </>
            ),
          Month: ({ month }) => month,
          Messages: ({ messageCount }) => messageCount.toLocaleString('en'),
          Segments: (row) => (isOwnCount ? row.segmentCount.toLocaleString('en') : segmentsOf(row)),
          Cost: (row) => (isUnpriced ? <span class="muted">–</span> : costOf(row)),
        }}
        looks={{ Messages: 'r', Segments: 'r', Cost: 'r' }}
        bare={['Line', 'Month']}
      />
    </>
  )
}

function segmentsOf({ segmentCount, carrierSegmentCount }: Usage): string {
  const all = segmentCount.toLocaleString('en')
  if (carrierSegmentCount === segmentCount) return all
  if (carrierSegmentCount === 0) return `${all}, our count`
  return `${all}, ${carrierSegmentCount.toLocaleString('en')} of them counted by the carrier`
}

function costOf({ messageCount, prices }: Usage): string {
  if (prices.length === 0) return 'no price'
  const open = messageCount - prices.reduce((sum, each) => sum + each.messageCount, 0)
  return [
    ...prices.map(({ currency, amount }) => `${amount} ${currency}`),
    ...(open > 0 ? [`${open.toLocaleString('en')} without a price yet`] : []),
  ].join(', ')
}
