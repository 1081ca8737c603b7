import { loadProcess } from './stop-request.js'

await loadProcess(() => import('./web/serve.js'))
