import type { HttpRequest } from '../outside/http.js'
import { ACCOUNT_SID, AUTH_TOKEN, inboundCallback } from '../outside/twilio.js'
import type { LineRow } from '../rows.js'

/** An account at a Twilio that is somewhere else. */
export function twilioAccount(apiUrl: string) {
  return { kind: 'twilio' as const, settings: { accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, apiUrl } }
}

/** Texts to one of the lines in turn, each of somebody else. */
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
