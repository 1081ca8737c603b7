/** TwiML, the XML in which Twilio is told what to do (https://www.twilio.com/docs/voice/twiml). */

/**
 * People do not speak to a machine for so long. By default Twilio would record for an hour
 * (https://www.twilio.com/docs/voice/twiml/record), and somebody pays for each minute of a phone that was not put down.
 */
const MAX_VOICEMAIL_SECONDS = 180

/** Nothing to do; the answer to every callback but a call's. */
export const NO_TWIML = response('')

export const HANG_UP = response('<Hangup/>')

/**
 * Greets a caller and records what they say. Without an `action` Twilio would ask the voice callback again after the
 * recording, and greet for ever; who says nothing at all comes to the hang-up below it.
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

/** Escapes a text, without the characters that XML 1.0 cannot hold, however they are written. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
