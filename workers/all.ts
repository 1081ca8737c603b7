import { loadProcess } from '../src/kit/process/stop-request.js'

await loadProcess(() => import('./processes/all.js'))
