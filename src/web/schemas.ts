import { ALL_EVENT_TYPES } from '../event-types.js'
import type { RouterMiddleware } from '@koa/router'
import type { Context } from '../domain/context.js'
import { UserError } from '../errors.js'
import { eventSchema } from './openapi/event-types.js'

/** The JSON Schema of an event's body. It is public, so it needs no token. */
export function getEventSchema({ config, vocabulary }: Context): RouterMiddleware {
  const { publicUrl } = config
  const schemas = new Map<string, string>(
    ALL_EVENT_TYPES.map((type) => [
      type,
      JSON.stringify(eventSchema(type, { publicUrl, vocabulary }), null, 2),
    ]),
  )
  return (ctx) => {
    const schema = schemas.get(String(ctx.params.type))
    if (schema === undefined) {
      throw new UserError(`No such event type. The types are ${ALL_EVENT_TYPES.join(', ')}`, 404)
    }
    ctx.type = 'application/schema+json'
    ctx.body = schema
  }
}
