import type { Middleware } from 'koa'

/** Leads people to the console. A program that does not ask for HTML gets a 404. */
export const toConsole: Middleware = (ctx) => {
  if (ctx.get('Accept').includes('text/html')) ctx.redirect('/console')
  return Promise.resolve()
}
