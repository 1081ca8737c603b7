import { describeProvider } from './provider-suite.js'
import { startTelnyx } from './stand-ins/telnyx.js'

describeProvider({
  kind: 'telnyx',
  start: () => startTelnyx(),
  settings: ({ url, credentials: { apiKey, publicKey } }) => ({ apiKey, publicKey, apiUrl: `${url}/v2` }),
  wrongSettings: { apiKey: 'KEY0123' },
  callbacks: { message: 'events', receipt: 'events' },
  codes: { failed: '40008', optedOut: '40300' },
  listsNumbers: true,
  setsUpNumbers: true,
})
