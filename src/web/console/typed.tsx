import type { Context as KoaContext } from 'koa'
import { fieldNames, valuesOf } from './form-values.js'
import { isKeptFromPages } from './page.js'
import { CREDENTIAL } from './people/second-factor/passkey-form.js'

/**
 * The typed fields of a form, hidden in another form that is posted to the same path. So a question can come between
 * a form and its act without typing anything twice. Passwords, other secrets and files are left out.
 *
 * @param props.but the names of fields that the other form has itself
 */
export function Typed({ ctx, but }: { ctx: KoaContext; but: readonly string[] }) {
  const names = fieldNames(ctx).filter((name) => !but.includes(name) && !isKeptFromPages(name))
  return (
    <>
      {names.flatMap((name) =>
        valuesOf(ctx, name).map((value, n) => (
          <input key={`${name} ${n}`} type="hidden" name={name} value={value} />
        )),
      )}
    </>
  )
}

/**
 * True if the form had something that `Typed` does not keep; a passkey's answer is for one question, and out of date
 * by then.
 */
export function hasUnkept(ctx: KoaContext): boolean {
  const { file, files } = ctx.request as { file?: unknown; files?: object }
  return (
    file !== undefined ||
    Object.keys(files ?? {}).length > 0 ||
    fieldNames(ctx).some(
      (name) =>
        name === CREDENTIAL ||
        (name !== 'csrf' && isKeptFromPages(name) && valuesOf(ctx, name).some((value) => value !== '')),
    )
  )
}
