import type { Context as KoaContext } from 'koa'
import { isKeptFromPages, unkeptOf } from './form-fault.js'
import { fieldNames, UNKEPT, valuesOf } from './form-values.js'

/**
 * Puts the typed fields of a form, hidden, into another form that is posted to the same path. So a question can come
 * between a form and its act, and nothing is typed twice. Of passwords, other secrets and files only the names are kept,
 * so that the form can ask for them again.
 *
 * @param props.but the names of fields that the other form has itself
 */
export function Typed({ ctx, but }: { ctx: KoaContext; but: readonly string[] }) {
  const names = fieldNames(ctx).filter(
    (name) => name !== UNKEPT && !but.includes(name) && !isKeptFromPages(name),
  )
  const unkept = unkeptOf(ctx, but)
  return (
    <>
      {names.flatMap((name) =>
        valuesOf(ctx, name).map((value, n) => (
          <input key={`${name} ${n}`} type="hidden" name={name} value={value} />
        )),
      )}
      {unkept.length > 0 && <input type="hidden" name={UNKEPT} value={unkept.join(' ')} />}
    </>
  )
}
