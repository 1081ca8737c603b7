import { loadProcess } from '../src/stop-request.js'

await loadProcess(() => import('./processes/deliver-event.js'))
