import { loadProcess } from '../src/stop-request.js'

await loadProcess(() => import('./processes/fetch-media.js'))
