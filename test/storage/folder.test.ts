import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createStorage } from '../../src/storage/create.js'
import { describeStorage } from './conformance.js'

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
