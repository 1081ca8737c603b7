import { expect } from 'chai'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readProcfile } from '../../dev/start/supervise.js'
import { inProject } from '../../src/kit/process/project-files.js'

/** A type that is imported is gone in what is built. */
const IMPORT = /^(?:import (?!type\b)(?:[^;'"]*?from )?|export [*{][^;'"]*?from )['"]([^'"]+)['"]/gm

/** What `npm run build` makes, which runs before the tests. */
describe('the build', () => {
  const FOLDERS = ['bin', 'dev', 'migrations', 'src', 'workers']
  const filesOf = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    )
  const sources = FOLDERS.flatMap(filesOf).filter((file) => /(?<!\.d)\.tsx?$/.test(file))
  const builtFrom = (source: string) => join('dist', source.replace(/\.tsx?$/, '.js'))
  const importsOf = (text: string) => new Set(Array.from(text.matchAll(IMPORT), ([, name]) => name))

  it('has a file for each of our files, and nothing of a package in it', () => {
    expect(sources).to.have.length.of.at.least(500)
    for (const source of sources) {
      // JSX brings a function of its own.
      const built = readFileSync(builtFrom(source), 'utf8').replace(
        /^import .* from "preact\/jsx-runtime";\n/m,
        '',
      )
      const written = importsOf(readFileSync(source, 'utf8'))
      expect([...importsOf(built)].sort(), source).to.deep.equal([...written].sort())
    }
  })

  it('has no file whose source is gone', () => {
    const built = FOLDERS.flatMap((folder) => filesOf(join('dist', folder))).filter((file) =>
      file.endsWith('.js'),
    )
    const expected = new Set([
      ...sources.map(builtFrom),
      // What is JavaScript as it is written.
      ...filesOf('src')
        .filter((file) => file.endsWith('.js'))
        .map((file) => join('dist', file)),
    ])
    expect(built.filter((file) => !expected.has(file))).to.deep.equal([])
  })

  it('has what programs read when they run', () => {
    for (const file of [
      ...filesOf('src/database/sql').filter((file) => file.endsWith('.sql')),
      ...filesOf('migrations/tables'),
      ...filesOf('src/web/assets'),
      'src/kit/redis/sliding-window.lua',
    ])
      expect(readFileSync(join('dist', file)), file).to.deep.equal(readFileSync(file))
  })

  it('has every program of the Procfile', () => {
    for (const { command } of readProcfile()) expect(existsSync(command[1] ?? ''), command[1]).to.be.true
  })

  it('is what tests import', () => {
    expect(inProject('src').href).to.match(/\/dist\/src$/)
  })
})
