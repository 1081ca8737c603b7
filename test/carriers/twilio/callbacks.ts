import { getExpectedBodyHash, getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'

/** Of the account that the stand-in plays. */
export const AUTH_TOKEN = 'f'.repeat(32)

export interface SignedOptions {
  authToken?: string
  /** Where it is really posted to; by default what is signed. */
  sendTo?: string
  /** What a proxy before us takes off the path. */
  withoutPrefix?: string
  /** Instead of the right one; undefined: none. */
  signature?: string | undefined
  headers?: Record<string, string>
}

/** Posts a form as Twilio does, signed by Twilio's own package. The fragment, its own, is no part of what it calls. */
export async function postSigned(
  configured: string,
  fields: Record<string, string>,
  options: SignedOptions = {},
): Promise<{ response: Response; text: string }> {
  const [url = ''] = configured.split('#')
  const signature = getExpectedTwilioSignature(options.authToken ?? AUTH_TOKEN, url, fields)
  return post(url, new URLSearchParams(fields).toString(), 'application/x-www-form-urlencoded', {
    signature,
    ...options,
  })
}

/** Posts JSON as Twilio does: the hash of the body is in the URL, and the URL is signed. */
export async function postSignedJson(
  url: string,
  body: string,
  { hashOf = body, ...options }: SignedOptions & { hashOf?: string } = {},
): Promise<{ response: Response; text: string }> {
  const mark = url.includes('?') ? '&' : '?'
  const signed = `${url}${mark}bodySHA256=${getExpectedBodyHash(hashOf)}`
  const signature = getExpectedTwilioSignature(options.authToken ?? AUTH_TOKEN, signed, {})
  return post(signed, body, 'application/json', { signature, ...options })
}

async function post(url: string, body: string, contentType: string, options: SignedOptions) {
  const { pathname, search, origin } = new URL(url)
  const { signature, sendTo = origin, withoutPrefix = '', headers = {} } = options
  const response = await fetch(sendTo + pathname.slice(withoutPrefix.length) + search, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': contentType,
      ...(signature === undefined ? {} : { 'X-Twilio-Signature': signature }),
      ...headers,
    },
  })
  return { response, text: await response.text() }
}
