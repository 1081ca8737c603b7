import { compileProject } from './compile.js'

await compileProject()
