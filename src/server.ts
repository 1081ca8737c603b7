import { hideKnownWarnings } from './foreign-warnings.js'
import { loadProcess } from './stop-request.js'

hideKnownWarnings()
await loadProcess(() => import('./web/serve.js'))
