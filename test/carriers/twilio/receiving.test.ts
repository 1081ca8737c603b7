import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'
import { conformsToReceiving } from '../receiving-conformance.js'
import { AUTH_TOKEN } from './callbacks.js'
import { ACCOUNT_SID } from './stand-in.js'

/** Signed by Twilio's own package. */
const post = (fields: Record<string, string>) => (url: string) => ({
  body: new URLSearchParams(fields).toString(),
  headers: {
    'Content-Type': 'application/x-www-form-urlencoded',
    'X-Twilio-Signature': getExpectedTwilioSignature(AUTH_TOKEN, url, fields),
  },
})

conformsToReceiving('twilio', {
  settings: { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN },
  otherSettings: { accountSid: ACCOUNT_SID, authToken: '0'.repeat(32) },
  messageCallback: 'message',
  statusCallback: 'status',
  message: ({ id, from, to, text }) => post({ MessageSid: id, From: from, To: to, Body: text }),
  delivered: (id) => post({ MessageSid: id, MessageStatus: 'delivered' }),
})
