import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'

const program = fileURLToPath(new URL('scripted-isolation.ts', import.meta.url))

describe('a job in a process of its own', () => {
  for (const [word, crashed] of [
    ['end', false],
    ['throw', true],
    ['abort', true],
    ['be killed', false],
    ['hang', true],
  ] as const)
    it(`that is told to ${word} has ${crashed ? 'crashed' : 'not crashed'}`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program, word])
      expect(JSON.parse(stdout)).to.equal(crashed)
    })
})
