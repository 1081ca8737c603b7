import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import { StorageFailed, StoredFileMissing, type Storage } from '../../src/storage/storage.js'
import { failure } from '../helpers/failure.js'

export interface StorageUnderTest {
  storage: Storage
  /** Every file that somebody could come upon, whole or not. */
  keys(): Promise<string[]>
  /** Nothing can be written or opened from now on. */
  breakDown(): Promise<void>
  close(): Promise<void>
}

/** What every storage does; run against each (style: one conformance suite per interface). */
export function describeStorage(name: string, start: () => Promise<StorageUnderTest>): void {
  describe(`${name} as a storage`, () => {
    let under: StorageUnderTest
    let storage: Storage

    beforeEach(async () => {
      under = await start()
      storage = under.storage
    })
    afterEach(() => under.close())

    const put = (key: string, bytes: Buffer) => storage.put(key, Readable.from([bytes]), bytes.length)
    const read = async (...file: Parameters<Storage['open']>) => buffer(await storage.open(...file))

    it('gives back what was put, byte by byte', async () => {
      await put('01/a-1', Buffer.from('all of it'))
      expect((await read('01/a-1')).toString()).to.equal('all of it')
    })

    it('takes a body of many pieces', async () => {
      const pieces = Array.from({ length: 200 }, (_, n) => Buffer.alloc(32_768, n))
      await storage.put('01/big-1', Readable.from(pieces), 200 * 32_768)
      expect((await read('01/big-1')).equals(Buffer.concat(pieces))).to.be.true
    })

    it('gives a range, both ends included', async () => {
      await put('01/a-1', Buffer.from('0123456789'))
      for (const [first, last] of [
        [0, 0],
        [2, 5],
        [9, 9],
        [0, 9],
      ] as const) {
        expect((await read('01/a-1', { first, last })).toString()).to.equal(
          '0123456789'.slice(first, last + 1),
        )
      }
    })

    it('replaces what was there under the same key', async () => {
      await put('01/a-1', Buffer.from('first'))
      await put('01/a-1', Buffer.from('second'))
      expect((await read('01/a-1')).toString()).to.equal('second')
      expect(await under.keys()).to.deep.equal(['01/a-1'])
    })

    it('says at once that there is no such file', async () => {
      expect(await failure(storage.open('01/none-1'))).to.be.instanceOf(StoredFileMissing)
      await put('01/a-1', Buffer.from('x'))
      await storage.remove('01/a-1')
      expect(await failure(storage.open('01/a-1'))).to.be.instanceOf(StoredFileMissing)
    })

    it('removes a file, also one that is not there', async () => {
      await put('01/a-1', Buffer.from('x'))
      await storage.remove('01/a-1')
      await storage.remove('01/a-1')
      await storage.remove('02/never-1')
      expect(await under.keys()).to.deep.equal([])
    })

    it('keeps nothing of a body that breaks off, and what was there before it', async () => {
      await put('01/a-1', Buffer.from('whole'))
      for (const key of ['01/a-1', '01/b-1']) {
        const broken = Readable.from(half())
        expect(await failure(storage.put(key, broken, 1000))).to.be.instanceOf(StorageFailed)
      }
      expect((await read('01/a-1')).toString()).to.equal('whole')
      expect(await under.keys()).to.deep.equal(['01/a-1'])
    })

    it('keeps nothing of a body that breaks off before it is read', async () => {
      const broken = new PassThrough()
      const putting = failure(storage.put('01/a-1', broken, 1000))
      broken.destroy(new Error('broken off'))
      expect(await putting).to.be.instanceOf(StorageFailed)
      expect(await under.keys()).to.deep.equal([])
    })

    it('calls what is broken by its name', async () => {
      await put('01/a-1', Buffer.from('x'))
      await under.breakDown()
      expect(await failure(put('01/a-2', Buffer.from('x')))).to.be.instanceOf(StorageFailed)
      expect(await failure(storage.open('01/a-1'))).to.be.instanceOf(StorageFailed)
      expect(await failure(storage.remove('01/a-1'))).to.be.instanceOf(StorageFailed)
    })
  })
}

async function* half(): AsyncGenerator<Buffer> {
  yield Buffer.from('the first half')
  await new Promise(setImmediate)
  throw new Error('broken off')
}
