import { expect } from 'chai'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { runScript } from '../helpers/scripts.js'
import { createDataFolder } from '../helpers/services/services.js'

describe('the cache of compiled code', () => {
  it('is in the folder of the build, whatever its name is', async () => {
    const build = join(createDataFolder('cache'), 'line hook 100%')
    const path = 'src/kit/process/compile-cache.js'
    cpSync(join('dist', path), join(build, path))
    // Node 20 has no such cache.
    const script = runScript(`
      import module from 'node:module'
      import { pathToFileURL } from 'node:url'
      module.enableCompileCache = (folder) => console.log(folder)
      const { keepCompiled } = await import(pathToFileURL(${JSON.stringify(join(build, path))}))
      keepCompiled()`)
    expect(await script.exitCode, script.lines.join('\n')).to.equal(0)
    expect(script.lines).to.deep.equal([join(build, '.compile-cache')])
  })
})
