import type { ComponentChildren } from 'preact'

/** Where a page is below others: their names and paths, the nearest last. */
export type Crumbs = readonly (readonly [label: string, href: string])[]

/** The head of a page: where the reader is, what this is, how it is, and the one thing to do. */
export function PageHead(props: {
  crumbs?: Crumbs
  title: ComponentChildren
  /** Beside the title: a number, a count, a state. */
  beside?: ComponentChildren
  acts?: ComponentChildren
}) {
  const { crumbs = [], title, beside, acts } = props
  return (
    <header class="head">
      {crumbs.length > 0 && (
        <nav class="crumbs" aria-label="Breadcrumbs">
          <ol>
            {crumbs.map(([label, href]) => (
              <li key={href}>
                <a href={href} dir="auto">
                  {label}
                </a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div class="head-row">
        <h1>{title}</h1>
        {beside}
        {acts !== undefined && <div class="acts">{acts}</div>}
      </div>
    </header>
  )
}
