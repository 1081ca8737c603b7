import type { ComponentChildren } from 'preact'

type Cell<Row> = (row: Row) => ComponentChildren

/**
 * Shows things in rows. A phone shows no head, but the name of its column before a cell.
 *
 * @param props.columns the cells of a row by the names of their columns; false leaves one out
 * @param props.looks classes of columns, such as `r` for figures
 * @param props.bare the columns whose cells need no name on a phone
 * @param props.acts what can be done with a row, in a last column
 * @param props.class how a phone shows the rows, such as `tidy`
 * @param props.hasDrawer true if details of a row open beside the table
 */
export function Table<Row>(props: {
  rows: readonly Row[]
  columns: Record<string, Cell<Row> | false>
  looks?: Record<string, string>
  bare?: readonly string[]
  acts?: Cell<Row>
  class?: string
  hasDrawer?: boolean
}) {
  const { rows, columns, looks = {}, bare = [], acts, hasDrawer = false } = props
  const shown = Object.entries(columns).filter((entry): entry is [string, Cell<Row>] => entry[1] !== false)
  return (
    <table class={`rows ${props.class ?? ''}`.trim()} data-drawer={hasDrawer ? '' : undefined}>
      <thead>
        <tr>
          {shown.map(([name]) => (
            <th key={name} class={looks[name]}>
              {name}
            </th>
          ))}
          {acts !== undefined && (
            <th>
              <span class="unseen">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, n) => (
          <tr key={n}>
            {shown.map(([name, cell]) => (
              <td key={name} data-label={bare.includes(name) ? undefined : name} class={looks[name]}>
                {cell(row)}
              </td>
            ))}
            {acts !== undefined && <td class="r">{acts(row)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
