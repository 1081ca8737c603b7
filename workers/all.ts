import { loadProcess } from '../src/stop-request.js'

await loadProcess(() => import('./processes/all.js'))
