import Router from '@koa/router'

/**
 * A router in which a path without parameters hides every other that would match it. `/v1/messages/batch` is no message
 * with the id "batch": a method that it does not accept is 405 with its own Allow, and not that message's refusal.
 */
export class LiteralRouter extends Router {
  override match(path: string, method: string): ReturnType<Router['match']> {
    const found = super.match(path, method)
    const literal = found.path.filter(({ paramNames }) => paramNames.length === 0)
    if (literal.length === 0 || literal.length === found.path.length) return found
    const pathAndMethod = found.pathAndMethod.filter((each) => literal.includes(each))
    return { path: literal, pathAndMethod, route: pathAndMethod.some(({ methods }) => methods.length > 0) }
  }
}
