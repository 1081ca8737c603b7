import type { Context as KoaContext } from 'koa'
import type { Dimension } from '../../../../domain/operating/overview/overview.js'
import { isSpan, SPANS, type Span } from '../../../../domain/operating/overview/spans.js'
import { UserError } from '../../../../errors.js'
import { queryOf } from '../../form-values.js'

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

/** Shows the links to the same page with its traffic split by user, line, carrier or endpoint. */
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

/** @throws UserError naming the allowed values */
export function spanOf(ctx: KoaContext): Span | undefined {
  const asked = queryOf(ctx, 'span')
  if (asked === '') return undefined
  if (!isSpan(asked)) throw new UserError(`span must be one of ${Object.keys(SPANS).join(', ')}`)
  return asked
}

/** @throws UserError naming the allowed values */
export function dimensionOf<By extends Dimension>(ctx: KoaContext, dimensions: readonly By[]): By {
  const asked = queryOf(ctx, 'by') || 'line'
  const by = dimensions.find((each) => each === asked)
  if (by === undefined) throw new UserError(`by must be one of ${dimensions.join(', ')}`)
  return by
}
