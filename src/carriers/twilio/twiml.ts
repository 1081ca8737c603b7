/** TwiML is the XML that tells Twilio what to do (https://www.twilio.com/docs/voice/twiml). */

/**
 * Nobody speaks to a machine for longer. By default Twilio would record for an hour
 * (https://www.twilio.com/docs/voice/twiml/record), and each minute of a phone that was not hung up costs money.
 */
const MAX_VOICEMAIL_SECONDS = 180

/** A response with no instructions, for every callback except that of a call. */
export const NO_TWIML = response('')

export const HANG_UP = response('<Hangup/>')

/**
 * Greets a caller and records what they say. Without an `action` Twilio would ask the voice callback again after the
 * recording, and greet forever; a caller who says nothing reaches the hang-up after it.
 */
export function greetAndRecord(voicemail: {
  greeting: string
  endUrl: string
  recordingUrl: string
}): string {
  const { greeting, endUrl, recordingUrl } = voicemail
  const say = greeting === '' ? '' : `<Say>${escapeXml(greeting)}</Say>`
  const record = Object.entries({
    maxLength: String(MAX_VOICEMAIL_SECONDS),
    playBeep: 'true',
    action: endUrl,
    method: 'POST',
    recordingStatusCallback: recordingUrl,
    recordingStatusCallbackMethod: 'POST',
    recordingStatusCallbackEvent: 'completed',
  }).map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
  return response(`${say}<Record${record.join('')}/><Hangup/>`)
}

function response(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${content}</Response>`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Escapes a text and removes the characters that XML 1.0 cannot hold, however they are written. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
