import type { Context } from '../context.js'

export function uploadUrl({ config }: Pick<Context, 'config'>, token: string): string {
  return `${config.publicUrl}/uploads/${token}`
}

/** @returns undefined if the URL is not that of an upload */
export function uploadTokenOf(context: Pick<Context, 'config'>, url: string): string | undefined {
  const prefix = uploadUrl(context, '')
  return url.startsWith(prefix) ? url.slice(prefix.length) : undefined
}
