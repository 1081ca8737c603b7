import { describeProvider } from './provider-suite.js'
import { startInfobip } from './stand-ins/infobip.js'
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

describeProvider({
  kind: 'infobip',
  start: () => startInfobip(),
  settings: ({ url, credentials: { apiKey } }) => ({ apiKey, apiUrl: url }),
  wrongSettings: { apiKey: 'another-key' },
  callbacks: { message: 'events', receipt: 'events' },
  codes: { failed: 'EC_ABSENT_SUBSCRIBER_SM', optedOut: 'EC_CONTENT_BLOCKED' },
  // What shows whose a request is stands in its URL, so whoever has recorded one can send another body there.
  cannotForge: ['other-body', 'old'],
  atOnce: 100,
  listsNumbers: true,
  setsUpNumbers: true,
})
