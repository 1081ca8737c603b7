import type Koa from 'koa'
import type Router from '@koa/router'
import type { Context } from '../../src/domain/context.js'
import { createApp } from '../../src/web/app.js'

export interface Route {
  method: string
  /** As in the table, with its parameters. */
  path: string
}

/** What the app's own table has, so that a route that is added later is in the tests as well. */
export function routesOf(context: Context): Route[] {
  return routerOf(createApp(context)).stack.flatMap(({ path, methods }) =>
    ['GET', 'POST', 'PUT', 'DELETE']
      .filter((method) => methods.includes(method))
      .map((method) => ({ method, path: String(path) })),
  )
}

function routerOf(app: Koa): Router {
  const routes = app.middleware.find((each) => 'router' in each) as { router?: Router } | undefined
  if (routes?.router === undefined) throw new Error('the app has no router')
  return routes.router
}
