import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { expect } from 'chai'
import { createStorage } from '../../src/storage/create.js'
import { StorageFailed, type Storage } from '../../src/storage/storage.js'
import { until } from '../helpers/until.js'
import { describeStorage } from './conformance.js'
import { failure } from '../helpers/failure.js'

describeStorage('a folder', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'linehook-test-'))
  const root = join(parent, 'media')
  return {
    storage: createStorage({ mediaFolder: root, mediaS3: undefined }),
    keys: async () => {
      const entries = await readdir(root, { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    },
    // A file where the folder was: permissions would not stop root, as whom CI runs.
    breakDown: async () => {
      await rm(root, { recursive: true })
      await writeFile(root, '')
    },
    close: () => rm(parent, { recursive: true }),
  }
})

describe('the folder of a storage', () => {
  let parent: string
  let storage: Storage

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'linehook-test-'))
    storage = createStorage({ mediaFolder: parent, mediaS3: undefined })
  })
  afterEach(() => rm(parent, { recursive: true }))

  const files = () => readdir(join(parent, 'a'))
  const untilWriting = () =>
    until('it is being written', async () => (await files().catch(() => [])).length > 0)

  it('keeps nothing of bodies that break off while their files are still being opened', async () => {
    await storage.put('a/whole', Readable.from(['picture']), 7)
    // So many that they wait for each other's threads.
    const puts = Array.from({ length: 300 }, (_, n) => {
      const broken = new Readable({
        read() {
          this.destroy(new Error('broken off'))
        },
      })
      return storage.put(`a/${n}`, broken, 1000).then(
        () => 'stored',
        () => 'failed',
      )
    })
    expect(new Set(await Promise.all(puts))).to.deep.equal(new Set(['failed']))
    expect(await files()).to.deep.equal(['whole'])
  })

  it('removes with a file what a killed process has written of it', async () => {
    const writing = new PassThrough()
    const putting = failure(storage.put('a/b-1', writing, 1000))
    writing.write('half a picture')
    await untilWriting()
    await storage.remove('a/b-1')
    expect(await files()).to.deep.equal([])
    writing.end()
    expect(await putting).to.be.instanceOf(StorageFailed)
    expect(await files()).to.deep.equal([])
  })

  it('takes a file from one writer at a time', async () => {
    const writing = new PassThrough()
    const first = storage.put('a/b-1', writing, 5)
    writing.write('fir')
    await untilWriting()
    const second = storage.put('a/b-1', Readable.from(['second']), 6)
    expect(await failure(second)).to.be.instanceOf(StorageFailed)
    writing.end('st')
    await first
    expect(await readFile(join(parent, 'a', 'b-1'), 'utf8')).to.equal('first')
    expect(await files()).to.deep.equal(['b-1'])
  })

  it('is made so that other users of the machine cannot list it', async () => {
    const root = join(parent, 'media')
    await createStorage({ mediaFolder: root, mediaS3: undefined }).put('a/b', Readable.from(['picture']), 7)
    for (const folder of [root, join(root, 'a')]) expect((await stat(folder)).mode & 0o007).to.equal(0)
  })
})
