import { loadProcess } from '../src/stop-request.js'

await loadProcess(() => import('./processes/send-message.js'))
