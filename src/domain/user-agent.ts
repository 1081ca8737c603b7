import type { Context } from './context.js'

/** The name with which we call the servers of users and the sources of media. */
export function userAgentOf({ config }: Pick<Context, 'config'>): string {
  return `Linehook/${config.version}`
}
