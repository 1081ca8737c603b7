import { compileProject } from './compile.js'

/** `npm run build -- chaos test` compiles these folders too, as a run of the tests does. */
await compileProject(process.argv.slice(2))
