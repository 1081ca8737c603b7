import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { announce, record } from './record.js'

/** This process is a developer's server. `PUT /manner` with a word says how it treats events from then on. */
export type Manner = 'good' | 'hangs' | 'drips' | 'fails' | 'closes'

let manner: Manner = 'good'

const server = createServer((request, response) => {
  if (manner === 'closes' && request.method === 'POST') {
    request.socket.destroy()
    return
  }
  let body = ''
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
  request.on('end', () => {
    if (request.method === 'PUT') {
      manner = body as Manner
      response.end()
    } else {
      // An event that is not answered with success does not count as received. The status of an answer decides, however
      // slowly its body comes.
      if (manner === 'good' || manner === 'drips') {
        record({ id: request.headers['webhook-id'], event: JSON.parse(body) as unknown })
      }
      treat(response)
    }
  })
})

function treat(response: ServerResponse): void {
  switch (manner) {
    case 'good':
      response.end('ok')
      return
    case 'fails':
      response.writeHead(500).end()
      return
    case 'drips': {
      response.writeHead(200)
      const drops = setInterval(() => response.write('.'), 500)
      response.once('close', () => {
        clearInterval(drops)
      })
      return
    }
    case 'hangs':
    case 'closes':
  }
}

server.listen(0, '127.0.0.1', () => {
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
