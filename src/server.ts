import { loadProcess } from './kit/process/stop-request.js'

await loadProcess(() => import('./web/serve.js'))
