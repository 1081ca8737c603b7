import type { Context as KoaContext } from 'koa'
import type { TokenScope } from '../../domain/people/api-tokens.js'
import type { Context } from '../../domain/context.js'
import { getDelivery } from '../../domain/endpoints/deliveries/delivery-history.js'
import { getEndpoint } from '../../domain/endpoints/endpoints.js'
import { getMessage } from '../../domain/messages/get-message.js'
import { getTask } from '../../domain/operating/tasks.js'
import { UserError } from '../../errors.js'

/**
 * The effect of an operation, as the route table states it. It reads, changes (sending a text is a change too), or
 * reveals a secret, which allows more than reading. The second part says whether it is about lines, so that a token of
 * one line may do it for that line, or about everything that the user has.
 */
export type Access = `${'reads' | 'changes' | 'reveals'} ${'lines' | 'account'}`

/**
 * Refuses an API token that may not do what the route says. Anything that the path names must be the token's line or
 * belong to it. Operations without such a path (the lists, and sending a message) call `lineOfToken`.
 *
 * @throws UserError 403 with `error="insufficient_scope"`; 404 for another line's thing
 */
export async function requireTokenScope(
  context: Context,
  ctx: KoaContext,
  access: Access,
  { isReadOnly, lineId }: TokenScope,
): Promise<void> {
  if (isReadOnly && access.startsWith('reveals')) {
    throw insufficientScope(ctx, 'This API token is read-only and cannot read secrets')
  }
  if (isReadOnly && access.startsWith('changes')) {
    throw insufficientScope(
      ctx,
      'This API token is read-only. Create another one to change or send something',
    )
  }
  if (lineId === null) return
  if (access.endsWith('account')) {
    throw insufficientScope(
      ctx,
      `This API token is limited to one ${context.vocabulary.word} and cannot access the whole account`,
    )
  }
  await requireOfLine(context, ctx, lineId)
}

async function requireOfLine(context: Context, ctx: KoaContext, lineId: string): Promise<void> {
  const { userId } = ctx.state as { userId: string }
  const { params = {} } = ctx as { params?: Record<string, string> }
  if (params.lineId !== undefined && params.lineId.toLowerCase() !== lineId) throw notOfLine('line')
  if (params.endpointId !== undefined) await getEndpoint(context, { userId, lineId }, params.endpointId)
  for (const [thing, get] of Object.entries(OF_LINES)) {
    const id = params[`${thing}Id`]
    if (id !== undefined && (await get(context, userId, id)).lineId !== lineId) throw notOfLine(thing)
  }
}

/** What a path names by its id and has its line in its row. */
const OF_LINES = { message: getMessage, delivery: getDelivery, task: getTask }

/** The refusal is the same as for something that belongs to another user. */
function notOfLine(thing: string): UserError {
  return new UserError(`No such ${thing}`, 404)
}

/** This follows RFC 6750 §3.1. */
export function insufficientScope(ctx: KoaContext, why: string, wanted?: string): UserError {
  const scope = wanted === undefined ? [] : [`scope="${wanted}"`]
  ctx.set('WWW-Authenticate', ['Bearer realm="Linehook"', 'error="insufficient_scope"', ...scope].join(', '))
  return new UserError(`insufficient_scope: ${why}`, 403)
}
