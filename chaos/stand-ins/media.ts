import { createServer, type AddressInfo, type Socket } from 'node:net'
import { MEDIA, pngOf } from '../../test/domain/media-samples.js'
import { announce } from './record.js'

/**
 * Servers of pictures, with a path for each manner. `good` behaves well. `closes` closes right after a large picture. `old`
 * speaks HTTP/1.0, where the end of the connection is the end of the picture. `cut` closes in the middle.
 */

const SMALL = MEDIA.picture.png ?? Buffer.alloc(0)
/** This is more than the buffers on the way can hold. So the reader has to pause, and the end comes meanwhile. */
const LARGE = pngOf(4_000_000)

const server = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.once('data', (request: Buffer) => {
    answer(socket, /^GET \/(\w+)/.exec(request.toString('latin1'))?.[1] ?? '')
  })
})

function answer(socket: Socket, manner: string): void {
  switch (manner) {
    case 'good':
      socket.end(Buffer.concat([head('1.1', SMALL.length), SMALL]))
      return
    case 'closes':
      socket.end(Buffer.concat([head('1.1', LARGE.length), LARGE]))
      return
    case 'old':
      socket.end(Buffer.concat([head('1.0', undefined), LARGE]))
      return
    default:
      // Half of the picture is sent before the connection is cut.
      socket.write(Buffer.concat([head('1.1', LARGE.length), LARGE.subarray(0, LARGE.length / 2)]))
      setTimeout(() => socket.resetAndDestroy(), 50)
  }
}

function head(version: string, length: number | undefined): Buffer {
  const lines = [
    `HTTP/${version} 200 OK`,
    'Content-Type: image/png',
    'Connection: close',
    ...(length === undefined ? [] : [`Content-Length: ${length}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

server.listen(0, '127.0.0.1', () => {
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
