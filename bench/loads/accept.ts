import type { HttpRequest } from '../outside/http.js'

/** Makes requests to the webhooks in turn, each to a new number. */
export function acceptRequests(paths: readonly string[]): () => HttpRequest {
  let count = 0
  return () => {
    count += 1
    return {
      path: paths[count % paths.length] ?? '',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        intent: 'message',
        data: { toNumber: `+1556${String(count).padStart(7, '0')}`, text: 'Your code is 123456' },
      }),
    }
  }
}
