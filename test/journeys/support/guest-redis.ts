import { newId } from '../../../src/ids.js'
import type { Context } from '../../../src/domain/context.js'

/** Runs with the URL of a Redis user who may do everything except INFO, as at some managed services. */
export async function withoutInfo(
  { redis, config }: Pick<Context, 'redis' | 'config'>,
  act: (redisUrl: string) => Promise<void>,
): Promise<void> {
  const user = `guest-${newId()}`
  await redis.call('ACL', 'SETUSER', user, 'on', '>guest-password', '~*', '&*', '+@all', '-info')
  const url = new URL(config.redisUrl)
  url.username = user
  url.password = 'guest-password'
  try {
    await act(url.href)
  } finally {
    await redis.call('ACL', 'DELUSER', user)
  }
}
