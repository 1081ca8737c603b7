import type { HttpRequest } from '../outside/http.js'
import { ACCOUNT_SID, AUTH_TOKEN, inboundCallback } from '../outside/twilio.js'
import type { LineRow } from '../rows.js'

/** An account at a stand-in for Twilio. */
export function twilioAccount(apiUrl: string) {
  return { kind: 'twilio' as const, settings: { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, apiUrl } }
}

/** Makes callbacks that bring texts to the lines in turn, each from another number. */
export function inboundRequests(
  accountId: string,
  lines: readonly LineRow[],
): (text?: string) => HttpRequest {
  let count = 0
  return (text) => {
    count += 1
    const to = lines[count % lines.length]?.number ?? ''
    return inboundCallback(accountId, personNumber(count), to, text ?? `Hello ${count}`)
  }
}

export function personNumber(n: number): string {
  return `+1560${String(n).padStart(7, '0')}`
}
