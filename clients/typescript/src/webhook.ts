import { exchange, keyHeader, type Fetch, type IdempotentOptions } from './exchange.js'

export interface WebhookMessage {
  toNumber: string
  text: string
  /** When it is to be sent, with an offset: `2026-12-24T18:00:00+01:00`. */
  sendAt?: string | null | undefined
  /** If the carrier was not asked to send it by then, it fails. */
  expiresAt?: string | null | undefined
  /** What you call it. */
  clientRef?: string | null | undefined
  /** Extra parameters for the carrier, such as `templateId` for DLT in India. */
  carrierOptions?: Readonly<Record<string, string>> | null | undefined
}

export interface WebhookOptions extends IdempotentOptions {
  /** Instead of the platform's own. */
  fetch?: Fetch
}

/**
 * Sends a text by a line's incoming webhook, which needs no API token.
 *
 * @param webhookUrl as the console shows it, with its token; keep it secret
 * @throws LinehookError
 */
export async function sendByWebhook(
  webhookUrl: string | URL,
  message: WebhookMessage,
  { fetch = globalThis.fetch, idempotencyKey, ...options }: WebhookOptions = {},
): Promise<{ messageId: string }> {
  const { headers } = await exchange(
    fetch,
    {
      method: 'POST',
      url: new URL(webhookUrl),
      headers: keyHeader(idempotencyKey),
      body: { intent: 'message', data: message },
    },
    options,
  )
  return { messageId: headers.get('message-id') ?? '' }
}
