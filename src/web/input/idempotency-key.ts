import type { Context as KoaContext } from 'koa'

/** @returns undefined if there is no such header; one that is empty is refused in the order of the checks */
export function idempotencyKeyOf(ctx: KoaContext): string | undefined {
  return ctx.headers['idempotency-key'] === undefined ? undefined : ctx.get('Idempotency-Key')
}
