import type Koa from 'koa'
import type Router from '@koa/router'
import type { Context } from '../../../src/domain/context.js'
import { createApp } from '../../../src/web/app.js'

export interface Route {
  method: string
  /** As in the table, with its parameters. */
  path: string
}

/** What the app's own table has, so that a route that is added later is in the tests as well. */
export function routesOf(context: Context): Route[] {
  return routersOf(createApp(context))
    .flatMap(({ stack }) => stack)
    .flatMap(({ path, methods }) =>
      ['GET', 'POST', 'PUT', 'DELETE']
        .filter((method) => methods.includes(method))
        .map((method) => ({ method, path: String(path) })),
    )
}

export function routersOf(app: Koa): Router[] {
  const routers = app.middleware.flatMap((each) => ('router' in each ? [each.router as Router] : []))
  if (routers.length === 0) throw new Error('the app has no router')
  return routers
}
