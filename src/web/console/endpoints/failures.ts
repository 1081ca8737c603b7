import type { DeliveryReason, MediaReason, MessageReason, RequestFailure } from '../../../states.js'

/**
 * Explains a failure in words, and what to do about it, for the names that deliveries and messages keep
 * (safe-fetch/failures.ts, domain/deliveries/deliver.ts, domain/messages/send.ts and domain/sweep.ts). Any other name
 * is a carrier's words when it rejected the message.
 */
export function explainFailure(name: string): string {
  if (name.startsWith('media_')) return explainMediaFailure(name.slice('media_'.length))
  const known = Object.hasOwn(WORDS, name) ? WORDS[name as keyof typeof WORDS] : undefined
  const status = /^http_(\d{3})$/.exec(name)?.[1]
  return known ?? (status === undefined ? `The carrier rejected it: ${name}` : explainStatus(Number(status)))
}

/** The words are the same for events and for media: the person who gave the URL can fix it. */
const CERTIFICATE_WORDS = {
  tls_self_signed: 'The certificate is self-signed. Use one from a public certificate authority.',
  tls_expired: 'The certificate has expired. Renew it, and make sure the server has loaded the new one.',
  tls_wrong_host:
    'The certificate is for a different host name. Change the URL, or get a certificate for this name.',
  tls_untrusted:
    'The certificate is not trusted: its authority is not public, its intermediate certificates are missing, or it ' +
    'is not valid yet. Make sure the server sends the full chain.',
  tls_not_spoken:
    'The server does not speak TLS on this port. Check the port in the URL, and that TLS is enabled on the server.',
} as const

type Named<Reason> = Exclude<Reason, `${string}http_${number}`>

const WORDS: Record<Named<MessageReason | DeliveryReason | RequestFailure>, string> = {
  ...CERTIFICATE_WORDS,
  invalid_url: 'This URL cannot be called. Enter a complete https:// URL.',
  invalid_headers: 'A header has a name or a character that cannot be sent. Correct it.',
  dns: 'Host not found. Check the URL for typos, and check its DNS record.',
  blocked_address:
    'The host has a private address, and this service only calls public ones. Use a public address, or ask the operator to allow this one (ALLOWED_PRIVATE_CIDRS).',
  connect: 'Connection refused. Check that the server is running and that its firewall allows this service.',
  tls: "The TLS handshake failed. Check the server's TLS versions, ciphers and certificate.",
  timeout: 'Timed out. Return 200 right away and do the work afterwards.',
  aborted: 'The request was interrupted because this service was stopping.',
  reset:
    'The connection closed before the response was complete. Check whether the server crashed or restarted.',
  too_large: 'The response headers are larger than 16 KiB. Send fewer cookies and headers.',
  bad_response: 'The response was not valid HTTP. Check that the port in the URL belongs to a web server.',
  network: 'The connection was lost. If it keeps happening, check the network in front of the server.',
  redirect: 'The server responded with a redirect. Redirects are not followed: enter the final URL.',
  worker_lost:
    'The process died during the attempt, so the outcome is unknown. Events are retried automatically. Messages are not: check whether yours arrived before resending.',
  internal_error: 'This service failed repeatedly. The operator can find the cause in its log.',
  cancelled: 'Cancelled before it was sent.',
  expired: 'It expired before it could be sent. Resend it if it is still needed.',
  disconnected: 'The application was disconnected from the line, or the endpoint was deleted.',
  forgotten: "An operator erased this person's data, so everything waiting for them was cancelled.",
  stopped_by_receiver:
    'The server asked us to stop retrying this event (webhook-delivery: stop). Retry it if it is still needed.',
  template_failed:
    "The endpoint's template failed on this event. Fix it with the preview, then retry the event.",
  template_too_heavy:
    "The endpoint's template took too much time or memory on this event. Simplify it: fewer loops, and filters over fewer items.",
  earlier_event_waits:
    'An earlier event from this number has not been delivered yet. This endpoint gets events in order, so this one is sent next.',
  opted_out: 'This person opted out (STOP). They can opt back in by texting START to this line.',
  line_disabled: 'The line is disabled. An operator can enable it.',
  carrier_missing: "The line's carrier is not set up here. Ask your operator.",
  throttled: 'The carrier is rate limiting. The message is retried automatically.',
  carrier_unavailable: 'The carrier could not be reached. The message is retried automatically.',
  carrier_outcome_unknown:
    'The carrier never confirmed this message. It is not retried automatically, to avoid a duplicate. Check whether it arrived before resending.',
  restored:
    'This service was restored from a backup, and the message may have been sent after that backup was made. It is not retried automatically: check whether it arrived before resending.',
  carrier_has_no_record:
    'The carrier never confirmed this message and has no record of it, so it was probably not sent. Resend it if it is still needed.',
}

/** The names that have words; in addition there are `http_…` and carriers' words. */
export const FAILURE_NAMES: readonly string[] = Object.keys(WORDS)

/** Explains to the person who gave the URL of media that could not be copied what their host did. */
function explainMediaFailure(name: string): string {
  const known = Object.hasOwn(MEDIA_WORDS, name) ? MEDIA_WORDS[name as keyof typeof MEDIA_WORDS] : undefined
  const status = /^http_(\d{3})$/.exec(name)?.[1]
  if (known !== undefined) return known
  return status === undefined
    ? `The media could not be fetched (${name}).`
    : `The media host returned HTTP ${status}. Check that the URL still works without signing in.`
}

type WithoutPrefix<Reason> = Reason extends `media_${infer Name}` ? Name : never

const MEDIA_WORDS: Record<WithoutPrefix<Named<MediaReason>>, string> = {
  ...CERTIFICATE_WORDS,
  invalid_url: 'The media URL, or a redirect from it, cannot be called. Use a complete https:// URL.',
  invalid_headers:
    "The credentials of the line's carrier account cannot be sent in a header. Ask your operator.",
  dns: 'Media host not found. Check the URL for typos.',
  blocked_address:
    'The media URL, or a redirect from it, has a private address, and this service only calls public ones.',
  connect: 'The media host refused the connection.',
  tls: 'The TLS handshake with the media host failed. Check its TLS versions and ciphers.',
  timeout: 'Downloading the media timed out.',
  aborted: 'The download was interrupted because this service was stopping.',
  reset: 'The media host closed the connection before the download was complete.',
  bad_response: "The media host's response was not valid HTTP.",
  network: 'The connection to the media host was lost.',
  redirect: 'The media URL redirects too many times, or to nowhere. Use the final URL.',
  too_large: 'The file is too large. Media to send must be smaller than 5,000,000 bytes.',
  type: "Unsupported file type. A line can send png, jpg, gif and mpg files. The type is detected from the file's content, not its name.",
  truncated: 'The picture is incomplete. Check the file.',
  gone: 'The copy behind this URL has expired and was deleted.',
  unavailable: 'The media could not be stored. This is retried automatically.',
  internal_error: 'This service failed repeatedly while copying. The operator can find the cause in its log.',
}

const STATUS_WORDS: Record<number, string> = {
  401: "Check that it verifies with this endpoint's signing secret. If it requires a login instead, add the header under Delivery settings.",
  403: 'It rejected the request. Check its firewall and access rules. Our requests are signed.',
  404: 'Nothing was found at this path. Check the URL for typos.',
  405: 'It does not accept POST at this path. Events are sent with POST.',
  410: 'The URL is gone for good, so no more events are sent until you enable it again.',
  415: 'It does not accept JSON at this path. Events are sent as application/json.',
  429: 'It is rate limiting. Retries wait for the time in its Retry-After header.',
  502: 'A proxy could not reach the server behind it. Check that it is running.',
  503: 'It is temporarily unavailable.',
  504: 'The server behind a proxy timed out. Return 200 right away and do the work afterwards.',
}

function explainStatus(status: number): string {
  const words =
    STATUS_WORDS[status] ??
    (status >= 500 ? "Check your server's log." : 'It rejected the event. It must return a 2xx status.')
  return `The server returned HTTP ${status}. ${words}`
}
