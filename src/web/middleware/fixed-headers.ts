import type { Context as KoaContext, Middleware } from 'koa'
import helmet from 'koa-helmet'

/**
 * Sets helmet's headers. With its settings they are the same for every answer, so helmet runs once, at the start,
 * with a response that records what it sets.
 */
export function setFixedHeaders(settings: Parameters<typeof helmet>[0]): Middleware {
  const headers: [name: string, value: string][] = []
  const response = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  }
  void helmet(settings)({ req: {}, res: response } as unknown as KoaContext, () => Promise.resolve())
  if (headers.length === 0) throw new Error('helmet sets its headers later than it did')

  return ({ res }, next) => {
    for (const [name, value] of headers) res.setHeader(name, value)
    return next()
  }
}
