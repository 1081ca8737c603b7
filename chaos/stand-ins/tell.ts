import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'

/**
 * Tells a stand-in something, over a connection of its own. A stand-in closes a connection that was idle for five seconds.
 * On a busy machine, a kept one could be used in that very moment, and the request would fail ("other side closed").
 *
 * @throws Error if there is no answer, or one that is no success
 */
export async function tell(url: string, body: string, method: 'POST' | 'PUT' = 'POST'): Promise<void> {
  const asking = request(url, {
    method,
    agent: false,
    headers: { 'content-length': Buffer.byteLength(body) },
  })
  asking.end(body)
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  answer.resume()
  if (answer.statusCode !== 200) throw new Error(`${method} ${url} was answered with ${answer.statusCode}`)
}
