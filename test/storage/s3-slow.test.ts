import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createHttpServer } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createS3Storage } from '../../src/storage/s3.js'
import { StorageFailed, type Storage } from '../../src/storage/storage.js'

const BYTE_COUNT = 4_000_000
const body = () => Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(BYTE_COUNT / 64)))

/** No test waits for these; each names those that it is about. */
const LONG = { connectMs: 60_000, silentMs: 60_000, silentWhileSendingMs: 60_000, slowestBytesPerMs: 1 }

describe('S3, when the bucket is slow', () => {
  let storage: Storage
  let server: Server

  const open = async (slow: Server, limits: Partial<typeof LONG>) => {
    server = slow
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }
    const endpoint = `http://127.0.0.1:${port}`
    const settings = { bucket: 'media', region: 'us-east-1', endpoint, credentials }
    storage = createS3Storage(settings, { ...LONG, ...limits })
  }
  afterEach(() => {
    storage.close()
    server.close()
  })

  it('a file is stored although it takes longer than a bucket may be silent', async () => {
    let count = 0
    const bytesPerMs = 4000
    const slow = createHttpServer((request, response) => {
      void (async () => {
        const startedAt = performance.now()
        for await (const chunk of request) {
          count += (chunk as Buffer).length
          await sleep(Math.max(0, count / bytesPerMs - (performance.now() - startedAt)))
        }
        response.setHeader('ETag', '"etag"').end()
      })()
    })
    await open(slow, { silentMs: 300, slowestBytesPerMs: 100 })
    await storage.put('some/key', body(), BYTE_COUNT)
    expect(count).to.equal(BYTE_COUNT)
  })

  const ways: [what: string, behave: (socket: Socket) => void, limits: Partial<typeof LONG>][] = [
    ['never answers', () => undefined, { silentMs: 300, silentWhileSendingMs: 300 }],
    [
      'sends a byte of its headers at a time',
      drip('HTTP/1.1 200 OK\r\nX-A: '),
      { silentMs: 300, slowestBytesPerMs: 10_000 },
    ],
    [
      'sends a byte of an error at a time',
      drip('HTTP/1.1 500 No\r\nContent-Length: 1000000\r\n\r\n<'),
      { silentMs: 300, slowestBytesPerMs: 10_000 },
    ],
  ]
  for (const [what, behave, limits] of ways) {
    it(`one that ${what} is given up`, async () => {
      const slow = createServer((socket) => {
        socket.on('error', () => undefined).resume()
        behave(socket)
      })
      await open(slow, limits)
      const asked = [
        storage.put('some/key', body(), BYTE_COUNT),
        storage.open('some/key'),
        storage.remove('some/key'),
      ]
      for (const { status, reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
        expect(status).to.equal('rejected')
        expect(reason).to.be.instanceOf(StorageFailed)
        expect((reason as StorageFailed).reason).to.equal('TimeoutError')
      }
    })
  }
})

/** Writes the beginning of an answer, and more of it for ever. */
function drip(beginning: string) {
  return (socket: Socket) => {
    socket.write(beginning)
    const timer = setInterval(() => socket.write('x'), 20)
    socket.once('close', () => {
      clearInterval(timer)
    })
  }
}
