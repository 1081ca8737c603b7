import { Fault } from './failures.js'

/**
 * A signed URL of a file has many hundreds of characters. URLs are stored in rows and shown on pages, so there is a
 * bound.
 */
export const MAX_URL_LENGTH = 2_048

/**
 * Parses a URL by the WHATWG rules, once for the whole service. So the host that is checked is the host that is dialled.
 *
 * @throws Fault `invalid_url` with a message that names the fix
 */
export function parseUserUrl(text: string, { allowHttp }: { allowHttp: boolean }): URL {
  if (text.length > MAX_URL_LENGTH) {
    throw invalid(`The URL has ${text.length} characters. Shorten it to at most ${MAX_URL_LENGTH}.`)
  }
  if (!URL.canParse(text)) {
    throw invalid('This is not a URL. Write it in full, such as https://example.com/hook.')
  }
  // The parser drops them silently, so the URL that people see would differ from the one that is called.
  if (/\p{Cc}/u.test(text.trim())) {
    throw invalid('The URL contains a line break or another control character. Remove it.')
  }
  const url = new URL(text)
  if (url.protocol === 'http:' && !allowHttp) {
    throw invalid('The URL starts with http://, which is not encrypted. Use https://.')
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw invalid(`The URL starts with ${url.protocol}, which is not supported. Use https://.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(
      'The URL contains a user name or password. Leave them out, and put a secret in the path instead.',
    )
  }
  if (url.port === '0') {
    throw invalid(
      'Port 0 cannot be called. Leave the port out, or enter the one that your server listens on.',
    )
  }
  return url
}

/** The host as sockets and DNS want it, which is an IPv6 address without its brackets. */
export function bareHost(url: Pick<URL, 'hostname'>): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

function invalid(message: string): Fault {
  return new Fault('invalid_url', message)
}
