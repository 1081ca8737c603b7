import type { Context as KoaContext } from 'koa'

/**
 * Finds out whether the client of a request has disconnected. Node ends its side of a connection whose client has ended
 * theirs.
 */
export function watchDisconnect(ctx: KoaContext): () => boolean {
  const { socket } = ctx.req
  return () => !socket.writable
}
