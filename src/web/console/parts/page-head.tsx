import type { ComponentChildren } from 'preact'

/** The names and paths of the pages above a page, the nearest last. */
export type Crumbs = readonly (readonly [label: string, href: string])[]

/** Shows the head of a page: its place, its title, its state, and its primary act. */
export function PageHead(props: {
  crumbs?: Crumbs
  title: ComponentChildren
  /** A number, a count or a state, beside the title. */
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
        {acts !== undefined && acts !== false && <div class="acts">{acts}</div>}
      </div>
    </header>
  )
}
