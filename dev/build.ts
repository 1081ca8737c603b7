import { compileProject } from './compile.js'

// `npm run build`
await compileProject()
