import { register } from 'node:module'
import { compileProject } from '../../dev/compile.ts'

// Node loads this file before mocha does anything, in the process of each test file too. Only the first one compiles.
if (process.env.TEST_COMPILED === undefined) {
  process.env.TEST_COMPILED = 'true'
  await compileProject(['chaos', 'test'])
}
process.setSourceMapsEnabled(true)
// Mocha would `require` the test files, and tsx would make CommonJS of them and of all that they import: not what is run.
Object.defineProperty(process.features, 'require_module', { value: false })
register('./built-hooks.js', import.meta.url)
