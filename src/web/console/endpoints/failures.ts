import type { DeliveryReason, MediaReason, MessageReason, RequestFailure } from '../../../states.js'

/**
 * What went wrong, in words, and what to do: for the names that deliveries and messages keep (safe-fetch/failures.ts,
 * domain/deliveries/deliver.ts, domain/messages/send.ts and domain/sweep.ts). A name that is none of ours is what a
 * carrier said when it rejected the message.
 */
export function explainFailure(name: string): string {
  if (name.startsWith('media_')) return explainMediaFailure(name.slice('media_'.length))
  const known = Object.hasOwn(WORDS, name) ? WORDS[name as keyof typeof WORDS] : undefined
  const status = /^http_(\d{3})$/.exec(name)?.[1]
  return known ?? (status === undefined ? `The carrier rejected it: ${name}` : explainStatus(Number(status)))
}

/** The same for events and for media: whoever gave the URL can mend it. */
const CERTIFICATE_WORDS = {
  tls_self_signed: 'The certificate is self-signed: nobody vouches for it. Use one of a public authority.',
  tls_expired: 'The certificate has expired. Renew it, and see that the server has loaded the new one.',
  tls_wrong_host:
    'The certificate is for another host name. Use the name that it is for, or one for this name.',
  tls_untrusted:
    'The certificate is not trusted: its authority is not public, its intermediate certificates are missing, or it ' +
    'is not valid yet. Have the server send the whole chain.',
  tls_not_spoken:
    'The host does not speak TLS at this port. Look at the port of the URL, and whether the server has TLS switched on.',
} as const

type Named<Reason> = Exclude<Reason, `${string}http_${number}`>

const WORDS: Record<Named<MessageReason | DeliveryReason | RequestFailure>, string> = {
  ...CERTIFICATE_WORDS,
  invalid_url: 'The URL cannot be called. Save it again: it must be a whole https:// URL.',
  dns: 'The name of the host was not found. Look for a typing mistake in the URL, and at the DNS record.',
  blocked_address:
    'The host has an address that is not public, which this service does not call. Give a public one, or ask ' +
    'whoever runs the service to allow it (ALLOWED_PRIVATE_CIDRS).',
  connect:
    'Nothing took the connection at this host and port. Look whether the server runs and its firewall lets us in.',
  tls: 'The TLS connection failed. Look at which versions and ciphers the server takes, and at its certificate.',
  timeout: 'There was no whole answer in time. Answer at once with 200, and do the work afterwards.',
  aborted: 'The request was cut off because this service was stopping.',
  reset:
    'The connection was closed before the answer was complete. Look whether the server crashed or restarted.',
  too_large: 'The headers of the answer are larger than 16 KiB. Send fewer cookies and headers.',
  bad_response: 'The answer was no valid HTTP. Look whether the port of the URL is that of a web server.',
  network: 'The connection failed on the way. If it happens again, look at the network before the server.',
  redirect: 'The server answered with a redirect, which is not followed. Give the URL that it leads to.',
  worker_lost:
    'The process that was at it died, so nobody knows whether it arrived. An event is tried again by itself; a ' +
    'message is not: find out whether it came before you send it again.',
  internal_error: 'This service failed at it, again and again. Whoever runs it finds the cause in its log.',
  cancelled: 'It was cancelled before it was sent.',
  expired: 'It could not be sent for so long that it is no longer wanted. Send it again if it still is.',
  disconnected:
    'The line was disconnected from the application, which may have no more of its events and send nothing from it; or ' +
    'the endpoint was deleted.',
  forgotten: 'An operator had this person forgotten, and what waited for them ended with that.',
  stopped_by_receiver:
    'The server asked for no more attempts of this event (webhook-delivery: stop). Send it again if it is still wanted.',
  template_failed:
    'The template of the endpoint could not be filled with this event. Look at its preview, mend it, and send the event again.',
  template_too_heavy:
    'Filling the template of the endpoint with this event took too much time or memory. Make it simpler: fewer loops, and ' +
    'filters of fewer items.',
  earlier_event_waits:
    'An earlier event from this number has not been taken yet. This one goes out after it, because the endpoint wants them in order.',
  opted_out: 'Who has this number asked for no more messages (STOP). They can write START to this line.',
  line_disabled: 'The line is disabled. Whoever runs the service can enable it.',
  carrier_missing: "The line's carrier is not set up here. Ask whoever runs the service.",
  throttled: 'The carrier asked for a slower pace. The message is sent by itself as soon as it may be.',
  carrier_unavailable: 'The carrier could not be reached. The message is tried again by itself.',
  carrier_outcome_unknown:
    'The carrier did not say whether it took the message. It is not sent again by itself, so that it cannot come ' +
    'twice: find out whether it came before you send it again.',
  restored:
    'It waited in a backup from which this service was restored, and may have been sent since. It is not sent again by ' +
    'itself: find out whether it came before you send it again.',
  carrier_has_no_record:
    'The carrier did not say whether it took the message, and has no record of it: most likely it was not sent. Send ' +
    'it again if it is still wanted.',
}

/** Those that have words; besides them there are `http_…` and what carriers say. */
export const FAILURE_NAMES: readonly string[] = Object.keys(WORDS)

/** Tells whoever gave the URL of media that could not be copied what their host did. */
function explainMediaFailure(name: string): string {
  const known = Object.hasOwn(MEDIA_WORDS, name) ? MEDIA_WORDS[name as keyof typeof MEDIA_WORDS] : undefined
  const status = /^http_(\d{3})$/.exec(name)?.[1]
  if (known !== undefined) return known
  return status === undefined
    ? `The media could not be fetched (${name}).`
    : `The host of the media answered ${status}. Look whether the URL still works without a sign-in.`
}

type WithoutPrefix<Reason> = Reason extends `media_${infer Name}` ? Name : never

const MEDIA_WORDS: Record<WithoutPrefix<Named<MediaReason>>, string> = {
  ...CERTIFICATE_WORDS,
  invalid_url: 'The media URL, or what it redirects to, cannot be called. It must be a whole https:// URL.',
  dns: 'The host of the media URL was not found. Look for a typing mistake in the URL.',
  blocked_address:
    'The media URL, or what it redirects to, has an address that is not public, which this service does not call.',
  connect: 'Nothing took the connection at the host of the media.',
  tls: 'The TLS connection with the host of the media failed. Look at which versions and ciphers it takes.',
  timeout: 'The media did not come whole in time.',
  aborted: 'The fetching of the media was cut off because this service was stopping.',
  reset: 'The host of the media closed the connection before all of it had come.',
  bad_response: 'The host of the media gave no valid HTTP answer.',
  network: 'The connection with the host of the media failed on the way.',
  redirect: 'The media URL redirects too often, or to nowhere. Give the URL that it leads to.',
  too_large: 'The file is too large. What a line sends must be smaller than 5,000,000 bytes.',
  type: 'The file is of no type that is taken. A line sends png, jpg, gif and mpg, judged by the bytes.',
  truncated: 'The picture ends early. Look whether the file is whole.',
  gone: 'The copy that the URL named was deleted, because it was old.',
  unavailable: 'The copies could not be stored just now. It is tried again by itself.',
  internal_error:
    'This service failed at the copy, again and again. Whoever runs it finds the cause in its log.',
}

const STATUS_WORDS: Record<number, string> = {
  401: 'It wants a sign-in. Let these requests in without one: their signature says that they are ours.',
  403: 'It forbids the request. Look at its firewall and at what it checks; our requests are signed.',
  404: 'It has nothing at this path. Look for a typing mistake in the URL.',
  405: 'It takes no POST at this path. Events come by POST.',
  410: 'It says that the URL is gone for good, so nothing more is sent there until you enable it again.',
  415: 'It does not take JSON at this path. Events are application/json.',
  429: 'It asks for a slower pace. The event is tried again, as late as its Retry-After says.',
  502: 'A proxy could not reach the server behind it. Look whether that runs.',
  503: 'It says that it is not available now.',
  504: 'A proxy got no answer from the server behind it in time. Answer at once, and do the work afterwards.',
}

function explainStatus(status: number): string {
  const words =
    STATUS_WORDS[status] ??
    (status >= 500
      ? 'It failed at the event: its own log says why.'
      : 'It refused the event: it must answer 2xx.')
  return `The server answered ${status}. ${words}`
}
