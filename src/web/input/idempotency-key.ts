import type { Context as KoaContext } from 'koa'

/** @returns undefined if the header is not there; one that is empty is refused in the order of the checks */
export function idempotencyKeyOf(ctx: KoaContext): string | undefined {
  return ctx.headers['idempotency-key'] === undefined ? undefined : ctx.get('Idempotency-Key')
}
