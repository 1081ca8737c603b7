import { randomBytes } from 'node:crypto'
import { describeProvider } from './provider-suite.js'
import { startAfricasTalking } from './stand-ins/africastalking.js'
import { startBird } from './stand-ins/bird.js'
import { startClickatell } from './stand-ins/clickatell.js'
import { startHttpSms } from './stand-ins/httpsms.js'
import { startInfobip } from './stand-ins/infobip.js'
import { startKannel } from './stand-ins/kannel.js'
import { startMessageMedia } from './stand-ins/messagemedia.js'
import { startPlivo } from './stand-ins/plivo.js'
import { startSinch } from './stand-ins/sinch.js'
import { startSmsGate } from './stand-ins/smsgate.js'
import { startTelnyx } from './stand-ins/telnyx.js'
import { startVonage } from './stand-ins/vonage.js'

describeProvider({
  kind: 'telnyx',
  senders: ['Linehook'],
  start: () => startTelnyx(),
  settings: ({ url, credentials: { apiKey, publicKey }, messagingProfileId }) => ({
    ...{ apiKey, publicKey, messagingProfileId },
    apiUrl: `${url}/v2`,
  }),
  wrongSettings: { apiKey: 'KEY0123' },
  callbacks: { message: 'events', receipt: 'events' },
  charge: { price: '0.0051', currency: 'USD', carrier_segment_count: 1 },
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
  charge: { price: '0.0125', currency: 'EUR', carrier_segment_count: 1 },
  codes: { failed: 'EC_ABSENT_SUBSCRIBER_SM', optedOut: 'EC_CONTENT_BLOCKED' },
  // What shows whose a request is stands in its URL, so whoever has recorded one can send another body there.
  cannotForge: ['other-body', 'old'],
  atOnce: 100,
  listsNumbers: true,
  setsUpNumbers: true,
})

describeProvider({
  kind: 'sinch',
  senders: ['Linehook', '12345'],
  start: () => startSinch(),
  settings: ({ url, credentials: { servicePlanId, apiToken, webhookSecret } }) => ({
    ...{ servicePlanId, apiToken, webhookSecret },
    apiUrl: url,
  }),
  wrongSettings: { apiToken: 'another-token' },
  callbacks: { message: 'events', receipt: 'events' },
  codes: { failed: '402' },
  // It takes such a message, and reports on it.
  outcomes: { 'opted-out': 'not there', 'in-2xx': 'not there' },
  reportsSent: false,
  listsReceived: true,
})

describeProvider({
  kind: 'clickatell',
  start: () => startClickatell(),
  settings: ({ url, credentials: { apiKey } }) => ({ apiKey, apiUrl: url }),
  wrongSettings: { apiKey: 'another-key==' },
  callbacks: { message: 'events', receipt: 'events' },
  codes: { failed: 'DELIVERY_FAILURE' },
  // As with Infobip.
  cannotForge: ['other-body', 'old'],
  sendsMedia: false,
  receivesMedia: false,
})

describeProvider({
  kind: 'vonage',
  senders: ['Linehook'],
  start: () => startVonage(),
  settings: ({ url, credentials: { apiKey, apiSecret, signatureSecret, applicationId } }) => ({
    ...{ apiKey, apiSecret, signatureSecret, applicationId },
    apiUrl: url,
  }),
  wrongSettings: { apiSecret: 'wrong-secret' },
  callbacks: { message: 'inbound', receipt: 'status' },
  charge: { price: '0.0333', currency: 'EUR', carrier_segment_count: 1 },
  codes: { failed: '1260', optedOut: '1240' },
  // It takes the message, and reports later that the recipient has opted out; no answer of success is a refusal.
  outcomes: { 'opted-out': 'not there', 'in-2xx': 'not there' },
  listsNumbers: true,
  setsUpNumbers: true,
})

for (const signatures of ['V3', 'V2'] as const) {
  describeProvider({
    kind: 'plivo',
    variant: `signed by ${signatures}`,
    start: () => startPlivo({ signatures }),
    settings: ({ url, credentials: { authId, authToken } }) => ({
      ...{ authId, authToken, signatures },
      apiUrl: `${url}/v1`,
    }),
    wrongSettings: { authToken: 'wrong-token' },
    callbacks: { message: 'message', receipt: 'message' },
    charge: { price: '0.00350', currency: 'USD', carrier_segment_count: 1 },
    codes: { failed: '90', optedOut: '200' },
    // It takes the message, and reports later that the recipient has opted out or that there is no credit.
    outcomes: { 'opted-out': 'not there', 'no-credit': 'not there' },
    // No signature has a time in it, and V2 does not cover the body: there is a secret in the URL, and ids tell repeats.
    cannotForge: signatures === 'V3' ? ['old'] : ['old', 'other-body'],
    listsNumbers: true,
    setsUpNumbers: true,
  })
}

for (const isPhone of [false, true]) {
  describeProvider({
    kind: 'smsgate',
    variant: isPhone ? "the phone's own server" : 'a server for several phones',
    start: () => startSmsGate({ allowHttpWebhooks: true }),
    settings: ({ url, apiUrl, number, credentials: { username, password, signingKey } }) => ({
      ...{ username, password, signingKey },
      apiUrl: isPhone ? url : apiUrl,
      sim1: number,
    }),
    wrongSettings: { password: 'wrong-password' },
    callbacks: { message: 'events', receipt: 'events' },
    codes: { failed: 'RESULT_ERROR_GENERIC_FAILURE' },
    outcomes: {
      'opted-out': 'not there',
      'no-credit': 'not there',
      'in-2xx': 'not there',
      // The phone is away.
      throttled: isPhone ? 'not there' : 'unavailable',
      // The phone looks at a number when it sends, and reports it.
      ...(isPhone ? { 'invalid-recipient': 'not there' } : {}),
    },
    sendsMedia: false,
    mediaInside: 'beside the text',
    listsNumbers: true,
    setsUpNumbers: true,
    phone: {
      be: (standIn, heardAt) => {
        standIn.lastSeenAt = heardAt
        standIn.batteryLevel = 9
      },
      // A phone that answers is not away. Its health is an answer with 500, because its battery is low.
      asked: isPhone ? { isAway: false, battery: '9%, charging' } : { isAway: true, battery: '' },
      call: (standIn) => standIn.ping(),
      called: { isAway: false, battery: '9%, charging' },
    },
  })
}

for (const [variant, options] of [
  // Without mo-recode, which is Kannel's default, texts come as UTF-16.
  ['by get-url', { service: 'get-url' }],
  ['by post-url', { service: 'post-url', moRecode: true }],
] as const) {
  describeProvider({
    kind: 'kannel',
    senders: ['Linehook', '12345'],
    variant,
    start: async () => {
      const secret = randomBytes(20).toString('hex')
      return { ...(await startKannel({ number: '+14155550142', secret, ...options })), secret }
    },
    settings: ({ url, credentials: { username, password }, secret }) => ({
      ...{ username, password },
      apiUrl: `${url}/cgi-bin/sendsms`,
      callbackKey: secret,
    }),
    wrongSettings: { password: 'wrong-password' },
    callbacks: { message: 'message', receipt: 'message' },
    enter: (url) =>
      `${url}&from=%p&to=%P${options.service === 'get-url' ? '&text=%b' : ''}&charset=%C&coding=%c&id=%I`,
    callsWithGet: options.service === 'get-url',
    givesIds: false,
    codes: { failed: '011' },
    // A black list is all that it knows of opting out, and credit is a matter of the SMS centre.
    outcomes: { 'opted-out': 'rejected', 'no-credit': 'not there', 'in-2xx': 'not there' },
    // It signs nothing: only the URL is secret.
    cannotForge: ['other-body', 'old'],
    sendsMedia: false,
    receivesMedia: false,
  })
}

describeProvider({
  kind: 'bird',
  start: () => startBird(),
  settings: ({ url, credentials: { apiKey, webhookSecret } }) => ({
    apiKey,
    signingSecret: webhookSecret,
    apiUrl: url,
  }),
  wrongSettings: { apiKey: 'bk_us1_wrong' },
  callbacks: { message: 'events', receipt: 'events' },
  charge: { price: '0.00750', currency: 'USD', carrier_segment_count: 1 },
  codes: { failed: 'unreachable', optedOut: 'recipient_opted_out' },
  // It is taken, and refused in a report.
  outcomes: { 'opted-out': 'not there', 'in-2xx': 'not there' },
  sendsMedia: false,
  receivesMedia: false,
  listsNumbers: true,
  listsReceived: true,
})

describeProvider({
  kind: 'africastalking',
  senders: ['Linehook', '12345'],
  start: () => startAfricasTalking({ senderIds: ['Linehook', '12345'] }),
  settings: ({ url, credentials: { username, apiKey } }) => ({ username, apiKey, apiUrl: url }),
  wrongSettings: { apiKey: 'atsk_wrong' },
  callbacks: { message: 'message', receipt: 'status' },
  optOut: {
    callback: 'opt-out',
    tell: (standIn, url, from, sender) => {
      standIn.callbackUrls.optOut = url
      return standIn.optOut(from, sender)
    },
  },
  charge: { price: '0.8000', currency: 'KES' },
  codes: { failed: 'DeliveryFailure', optedOut: 'UserInBlackList' },
  // Its documentation says nothing about a pace, and a sender that it does not know is the operator's to mend.
  outcomes: { throttled: 'not there', 'in-2xx': 'unavailable' },
  // It signs nothing: the secret is in the URLs.
  cannotForge: ['unsigned', 'wrong-secret', 'other-body', 'old'],
  sendsMedia: false,
  receivesMedia: false,
})

describeProvider({
  kind: 'messagemedia',
  senders: ['Linehook', '12345'],
  start: () => startMessageMedia(),
  settings: ({ url, credentials: { apiKey, apiSecret, publicKey } }) => ({
    apiKey,
    apiSecret,
    publicKey,
    apiUrl: url,
  }),
  wrongSettings: { apiSecret: 'wrong' },
  callbacks: { message: 'events', receipt: 'events' },
  charge: { carrier_segment_count: 1 },
  codes: { failed: '411', optedOut: '302' },
  setUpUrl: ({ webhooks }) => webhooks.at(-1)?.url,
  // Its documentation says nothing about a pace, and of the others only reports tell.
  outcomes: {
    throttled: 'not there',
    'opted-out': 'not there',
    'no-credit': 'not there',
    'in-2xx': 'not there',
  },
  mediaInside: 'in place of the text',
  listsNumbers: true,
  setsUpNumbers: true,
})

describeProvider({
  kind: 'httpsms',
  start: () => startHttpSms(),
  settings: ({ url, credentials: { apiKey, signingKey } }) => ({ apiKey, signingKey, apiUrl: url }),
  wrongSettings: { apiKey: 'uk_wrong' },
  callbacks: { message: 'events', receipt: 'events' },
  codes: { failed: 'GENERIC_FAILURE' },
  outcomes: { 'opted-out': 'not there', throttled: 'not there', 'in-2xx': 'not there' },
  // Its token does not cover the body.
  cannotForge: ['other-body'],
  missCall: (standIn, from, calledAt) => standIn.missCall(from, calledAt),
  phone: {
    be: (standIn, timestamp) => {
      standIn.lastHeartbeat = { timestamp, charging: false }
    },
    asked: { isAway: true, battery: 'not charging' },
    call: (standIn) => standIn.heartbeat('online'),
    called: { isAway: false, battery: 'not charging' },
  },
  listsNumbers: true,
  setsUpNumbers: true,
})
