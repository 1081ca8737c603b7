import type { Dimension } from '../../../../domain/operating/overview/overview.js'
import { SPANS, type Span } from '../../../../domain/operating/overview/spans.js'

interface Shown {
  /** The page, whose address names both. */
  path: string
  span: Span
  by: Dimension
}

/** Shows the links to the same page for other time ranges. */
export function SpanLinks({ path, span, by }: Shown) {
  return (
    <nav class="spans" aria-label="Time range">
      {(Object.keys(SPANS) as Span[]).map((each) => (
        <a
          key={each}
          href={`${path}?span=${each}&by=${by}`}
          aria-current={each === span ? 'page' : undefined}
        >
          {SPANS[each].label}
        </a>
      ))}
    </nav>
  )
}

/** Shows the links to its busiest users, lines, carriers or endpoints. */
export function DimensionLinks(props: Shown & { dimensions: readonly Dimension[] }) {
  const { path, span, by, dimensions } = props
  return (
    <nav class="spans" aria-label="Split by">
      {dimensions.map((each) => (
        <a
          key={each}
          href={`${path}?span=${span}&by=${each}#busiest`}
          aria-current={each === by ? 'page' : undefined}
        >{`By ${each}`}</a>
      ))}
    </nav>
  )
}
