import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inboundOf, textOf } from '../../dev/smsc/messages.js'
import { startSmsc } from '../../dev/smsc/server.js'
import { announce, record } from './record.js'

/**
 * An SMSC in a process of its own. What is posted to it as `{"from","to","text"}` it brings, and keeps until it is
 * told that it has been taken.
 */
const smsc = await startSmsc({
  onTaken: (taken) => {
    record({ from: `+${taken.from}`, to: `+${taken.to}`, text: textOf(taken) })
  },
})

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
  request.on('end', () => {
    const { from, to, text } = JSON.parse(body) as { from: string; to: string; text: string }
    smsc.bring(inboundOf(from, to, text))
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => {
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { smppPort: smsc.port })
})
