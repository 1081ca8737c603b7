import type { Context as KoaContext } from 'koa'
import { isId, newId } from '../../../../ids.js'
import { fieldOf } from '../../form-values.js'

const NAME = 'upTo'

/**
 * Tells a form the newest message that the page shows, so that the form does nothing to one that came in since then. In
 * a part of a page that keeps itself up to date, the field is for a form outside of it.
 *
 * @param props.form the form's id; if left out, the field is inside it
 */
export function ShownUpTo({ id, form }: { id: string | undefined; form?: string }) {
  if (id === undefined) return null
  return <input type="hidden" name={NAME} value={id} form={form} />
}

/** Returns the newest message that the reader of a form was shown; without the field, that is every one so far. */
export function shownUpTo(ctx: KoaContext): string {
  const written = fieldOf(ctx, NAME)
  return isId(written) ? written : newId()
}
