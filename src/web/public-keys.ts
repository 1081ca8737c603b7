import type { RouterMiddleware } from '@koa/router'
import type { Context } from '../domain/context.js'
import { findPublicKeys } from '../domain/endpoints/signing-secrets.js'
import { UserError } from '../errors.js'
import { isId } from '../ids.js'

/** A receiver that keeps them for this long still has both keys for most of a rotation. */
const MAX_AGE_SECONDS = 300

/** Answers `{"keys":["whpk_…"]}`, the current one first, for receivers that verify `v1a` signatures. It is public. */
export function getPublicKeys(context: Context): RouterMiddleware {
  return async (ctx) => {
    const id: unknown = ctx.params.endpointId
    const keys = isId(id) ? await findPublicKeys(context, id.toLowerCase()) : undefined
    if (keys === undefined) throw new UserError('No such endpoint', 404)
    ctx.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`)
    ctx.body = { keys }
  }
}
