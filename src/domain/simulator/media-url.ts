import type { Context } from '../context.js'

/** Of what a phone attached: the simulator's own, which it hosts as a carrier does. */
export function simulatorMediaUrl({ config }: Pick<Context, 'config'>, token: string): string {
  return `${config.publicUrl}/simulator/media/${token}`
}

/** undefined: the URL is not one of the simulator's. */
export function simulatorTokenOf(context: Pick<Context, 'config'>, url: string): string | undefined {
  const prefix = simulatorMediaUrl(context, '')
  return url.startsWith(prefix) ? url.slice(prefix.length) : undefined
}
