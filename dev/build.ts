import { bundleProject } from './bundle.js'

// `npm run build`
await bundleProject()
