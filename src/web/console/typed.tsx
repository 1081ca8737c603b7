import type { Context as KoaContext } from 'koa'
import { fieldNames, valuesOf } from './form-values.js'
import { isKeptFromPages } from './page.js'
import { CREDENTIAL } from './people/second-factor/passkey-form.js'

/**
 * What was typed into a form, hidden in another one that is posted to the same path: what is asked for first comes between
 * the form and what it does, and nobody types twice. Never passwords, other secrets and files.
 *
 * @param props.but names of fields that the other form has itself
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

/** Whether the form had something that `Typed` does not keep; what a passkey answers is of one question, and old by then. */
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
