import type { Notice } from '../../../database/operating/notices.js'
import { FetchFailed } from '../../../safe-fetch.js'
import type { Context } from '../../context.js'
import { signatureHeaders } from '../../endpoints/deliveries/signature.js'
import { noticeInPlainWords } from './in-words.js'

const MAX_RESPONSE_BYTES = 1024

export interface NoticeTarget {
  url: string
  /** `whsec_…` */
  secret: string
}

/**
 * POSTs a notice to an operational webhook, signed as events are (Standard Webhooks), once. Any 2xx is a success. The id of
 * the notice is its `webhook-id`, the same on every attempt.
 *
 * @returns what went wrong, by its name; undefined: it was taken
 */
export async function postNotice(
  { config, safeFetch }: Pick<Context, 'config' | 'safeFetch'>,
  { url, secret }: NoticeTarget,
  notice: Notice,
): Promise<string | undefined> {
  const body = noticeBody(notice)
  try {
    const { status } = await safeFetch.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Linehook/${config.version}`,
        ...signatureHeaders(notice.id, Math.floor(Date.now() / 1000), body, [secret]),
      },
      body,
      timeoutMs: config.deliveryTimeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    })
    return status >= 200 && status < 300 ? undefined : `http_${status}`
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    return error.failure
  }
}

/** As Standard Webhooks suggests: a type, when it was, and the rest. The same notice gives the same bytes. */
function noticeBody(notice: Notice): string {
  const { kind, at, userId, details } = notice
  const { title, text } = noticeInPlainWords(notice)
  return JSON.stringify({
    type: kind,
    timestamp: at.toISOString(),
    data: { title, text, userId, ...(details as object) },
  })
}
