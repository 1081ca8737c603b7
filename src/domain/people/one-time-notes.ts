import { redisAvailable } from '../../kit/redis/redis.js'
import { newToken } from '../../secrets.js'
import type { Context } from '../context.js'
import type { Session } from './sessions.js'

/** A browser needs them only for a redirect. */
const LIFE_SECONDS = 60

/**
 * Stores what a form has made, such as a new token, for the page to which the form redirects. It is sealed, and can be
 * read once, in the same session.
 *
 * @returns its name, which may be in a URL: it opens nothing in another session
 * @throws Unavailable
 */
export async function keepNote(
  { redis, secrets }: Pick<Context, 'redis' | 'secrets'>,
  session: Session,
  note: object,
): Promise<string> {
  const name = newToken()
  const key = keyOf(session, name)
  await redisAvailable(() => redis.set(key, secrets.seal(JSON.stringify(note), key), 'EX', LIFE_SECONDS))
  return name
}

/** @returns undefined if it was already read, is too old, or belongs to another session */
export async function takeNote(
  { redis, secrets }: Pick<Context, 'redis' | 'secrets'>,
  session: Session,
  name: string,
): Promise<object | undefined> {
  const key = keyOf(session, name)
  const [[, sealed] = []] = (await redisAvailable(() => redis.multi().getBuffer(key).del(key).exec())) ?? []
  return Buffer.isBuffer(sealed) ? (JSON.parse(secrets.open(sealed, key)) as object) : undefined
}

function keyOf(session: Session, name: string): string {
  return `note:${session.id}:${name}`
}
