import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { createS3Storage } from '../../src/storage/s3.js'
import { StorageFailed, type Storage } from '../../src/storage/storage.js'
import { HOSTILITIES, startHostileServer } from '../helpers/services/hostile-servers.js'
import { openForSuite } from '../helpers/suite.js'

/** Some of them just stay silent. */
const LIMITS = { connectMs: 5000, silentMs: 500, silentWhileSendingMs: 500, slowestBytesPerMs: 2000 }

describe('S3, when what speaks its protocol closes and lies', () => {
  const server = openForSuite(startHostileServer)
  let storage: Storage

  before(() => {
    storage = storageAt(server.origin)
  })
  after(() => {
    storage.close()
  })

  // mocha fails a test for what is thrown outside of its promises.
  for (const [what, behave] of HOSTILITIES) {
    it(`survives one that ${what}`, async () => {
      server.behave(behave)
      const bytes = Buffer.alloc(900_000)
      await Promise.all([
        outcomeOf(storage.put('some/key', Readable.from([bytes]), bytes.length)),
        outcomeOf(storage.remove('some/key')),
        outcomeOf(
          storage.open('some/key').then(async (body) => {
            await text(body).catch(() => undefined)
          }),
        ),
      ])
    })
  }
})

describe('S3, when it closes a connection as it is used again', () => {
  const used = new Set<Socket>()
  let closedCount = 0
  const server = openForSuite(async () => {
    const server = createServer(({ socket, method }, response) => {
      if (used.has(socket)) {
        closedCount += 1
        socket.resetAndDestroy()
      } else {
        used.add(socket)
        if (method === 'GET') response.writeHead(200, { 'Content-Length': 4 }).end('here')
        else response.writeHead(204).end()
      }
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return {
      origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () => {
        server.closeAllConnections()
        server.close()
      },
    }
  })

  it('what can be repeated is asked again', async () => {
    const storage = storageAt(server.origin)
    for (let n = 0; n < 3; n += 1) expect(await text(await storage.open('some/key'))).to.equal('here')
    await storage.remove('some/key')
    expect(closedCount).to.be.above(0)
    storage.close()
  })
})

function storageAt(endpoint: string): Storage {
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }
  return createS3Storage({ bucket: 'media', region: 'us-east-1', endpoint, credentials }, LIMITS)
}

/** Done, or failed by name. */
async function outcomeOf(work: Promise<unknown>): Promise<void> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error !== undefined) expect(error).to.be.instanceOf(StorageFailed)
}
