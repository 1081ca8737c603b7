import { conformsToReceiving } from '../receiving-conformance.js'
import { SIGNING_SECRET, settingsFor, signed } from './stand-in.js'

const post = (fields: object) => () => {
  const body = JSON.stringify(fields)
  return { body, headers: { 'Content-Type': 'application/json', ...signed(body) } }
}

conformsToReceiving('http', {
  settings: settingsFor('https://sms.example.com/', { signingSecret: SIGNING_SECRET }),
  otherSettings: settingsFor('https://sms.example.com/', { signingSecret: 'another secret' }),
  messageCallback: 'message',
  statusCallback: 'status',
  message: (sent) => post(sent),
  delivered: (id) => post({ id, status: 'DELIVERED' }),
})
