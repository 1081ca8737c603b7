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
    storage = createS3Storage(
      {
        bucket: 'media',
        region: 'us-east-1',
        endpoint: server.origin,
        credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      },
      LIMITS,
    )
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

/** Done, or failed by name. */
async function outcomeOf(work: Promise<unknown>): Promise<void> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error !== undefined) expect(error).to.be.instanceOf(StorageFailed)
}
