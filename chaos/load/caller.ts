import { Agent, request } from 'undici'

/** No answer should take so long. A client that gets none by then continues. */
const PATIENCE_MS = 10_000

interface Answer {
  /** It is 0 if no answer came. */
  status: number
  messageId: string
  text: string
}

export interface Caller {
  /** Posts to one of the copies of `web`. */
  post: (path: string, headers: Record<string, string>, body: string) => Promise<Answer>
  close: () => Promise<void>
}

/** It works like a load balancer: each request goes to the next copy, or to the one after it if nobody listens there. */
export function createCaller(urls: readonly string[]): Caller {
  const agent = new Agent({ connections: 64 })
  let turn = 0
  return {
    post: async (path, headers, body) => {
      const first = (turn += 1)
      for (let attempt = 0; attempt < urls.length; attempt += 1) {
        const url = urls[(first + attempt) % urls.length] ?? ''
        try {
          const signal = AbortSignal.timeout(PATIENCE_MS)
          const answer = await request(url + path, {
            method: 'POST',
            headers,
            body,
            signal,
            dispatcher: agent,
          })
          const text = await answer.body.text()
          return { status: answer.statusCode, messageId: String(answer.headers['message-id'] ?? ''), text }
        } catch (error) {
          if ((error as { code?: string }).code !== 'ECONNREFUSED') break
        }
      }
      return { status: 0, messageId: '', text: '' }
    },
    close: () => agent.destroy(),
  }
}
