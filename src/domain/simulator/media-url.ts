import type { Context } from '../context.js'

/** Returns the URL at which the simulator hosts a phone's attachment, as a carrier would. */
export function simulatorMediaUrl({ config }: Pick<Context, 'config'>, token: string): string {
  return `${config.publicUrl}/simulator/media/${token}`
}

/** @returns undefined if the URL is not one of the simulator's */
export function simulatorTokenOf(context: Pick<Context, 'config'>, url: string): string | undefined {
  const prefix = simulatorMediaUrl(context, '')
  return url.startsWith(prefix) ? url.slice(prefix.length) : undefined
}
