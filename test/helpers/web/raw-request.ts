import { request, type Agent, type IncomingHttpHeaders, type Server } from 'node:http'

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  agent?: Agent | false
}

/** As `fetch` does not: the target as it is written, any header such as Host or Origin, over connections of one's own. */
export function requestRaw(
  port: number,
  path: string,
  { body, ...sent }: Sent = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, ...sent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
      })
    })
      .on('error', reject)
      .end(body)
  })
}

export function connectionCount({ server }: { server: Server }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })
}
