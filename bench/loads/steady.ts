import { setTimeout as sleep } from 'node:timers/promises'
import { HttpConnection, type HttpRequest } from '../outside/http.js'

/** A text that was posted, with the time by performance.now() and the status of the answer. */
export interface Posted {
  text: string
  postedAt: number
  status: number
}

/**
 * Posts so many texts a second for so many seconds, whether earlier ones are answered or not. A load that waits for answers
 * would not show how long others wait behind a slow one.
 *
 * @param make makes the request of a text; each text is another one
 */
export async function postSteadily(
  url: string,
  make: (text: string, n: number) => HttpRequest,
  { name, perSecond, seconds }: { name: string; perSecond: number; seconds: number },
): Promise<Posted[]> {
  const idle: HttpConnection[] = []
  const all: HttpConnection[] = []
  const posting: Promise<Posted>[] = []
  const startedAt = performance.now()
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const waitMs = startedAt + (n / perSecond) * 1000 - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    posting.push(post(`${name} ${n}`, n))
  }
  const posted = await Promise.all(posting)
  for (const connection of all) connection.close()
  return posted

  async function post(text: string, n: number): Promise<Posted> {
    const connection = idle.pop() ?? open()
    const request = make(text, n)
    const postedAt = performance.now()
    const status = await connection.post(request)
    idle.push(connection)
    return { text, postedAt, status }
  }

  function open(): HttpConnection {
    const connection = new HttpConnection(url)
    all.push(connection)
    return connection
  }
}
