import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readProcfile } from '../../dev/supervise.js'
import { needCompiled } from '../helpers/compile.js'

needCompiled()

/** What `npm run build` makes, which runs before the tests. */
describe('the built programs', () => {
  const filesOf = (script: string): string[] => {
    const found = new Set([script])
    for (const file of found) {
      const imports = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+\.js)"/g)
      for (const [, path = ''] of imports) found.add(join(file, '..', path))
    }
    return [...found]
  }

  it('are ASCII: V8 keeps them in half the memory', () => {
    for (const { command } of readProcfile()) {
      const files = filesOf(command[1] ?? '')
      expect(files.length).to.be.greaterThan(5)
      const others = files.filter((file) => /[^\p{ASCII}]/u.test(readFileSync(file, 'utf8')))
      expect(others).to.deep.equal([])
    }
  })

  it('leave other databases out', () => {
    const texts = filesOf('dist/workers/maintenance.js').map((file) => readFileSync(file, 'utf8'))
    expect(texts.join('')).not.to.match(/\boracledb\/utils|BullMQ PostgreSQL backend/)
  })
})
