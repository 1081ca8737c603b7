import { hideKnownWarnings } from './kit/process/foreign-warnings.js'
import { loadProcess } from './kit/process/stop-request.js'

hideKnownWarnings()
await loadProcess(() => import('./web/serve.js'))
