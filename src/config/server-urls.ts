/** The fault of such a URL. It never contains the URL, because a password is in it. */
export const MUST_BE_ENCODED =
  'must be a valid URL. Encode special characters in the password: %2F for /, %3F for ?, %23 for #, %40 for @ and %25 for %'

/** True if ioredis can read the URL. Its error would contain the URL, and the process that crashes would print it. */
export function isRedisUrl(url = ''): boolean {
  return isServerUrl(url) && isDecodable(url)
}

/** True if pg can read the URL. It accepts a `%` that encodes nothing, and a user without a host, for a socket. */
export function isPostgresUrl(url = ''): boolean {
  const read = url.replace('@/', '@socket/').replace(/%(?![\da-f]{2})/gi, '%25')
  // Several hosts are another fault.
  return !namesOneHost(url) || (isServerUrl(read) && isDecodable(read))
}

/** libpq takes several hosts, but the driver does not: it would only say that the URL is invalid. */
export function namesOneHost(url = ''): boolean {
  const [authority = ''] = url.replace(/^\w+:\/\//, '').split(/[/?#]/)
  return hasCutPassword(url) || !authority.slice(authority.lastIndexOf('@') + 1).includes(',')
}

/** True for a value without a scheme too, because that is another fault. */
export function isServerUrl(url = ''): boolean {
  return !/^\w+:\/\//.test(url) || (URL.canParse(url) && !hasCutPassword(url))
}

/**
 * A `/`, `?` or `#` ends the host, even if it was meant as part of the password: `redis://me:12/34@redis` names the
 * host `me` and the port `12`. Such a URL would lead to the wrong place, and errors would show a part of the password
 * as an address.
 */
function hasCutPassword(url: string): boolean {
  const afterHost = url.replace(/^\w+:\/\/[^/?#]*/, '')
  const [path = '', query = ''] = afterHost.split('?')
  const [firstName = ''] = query.split('=')
  return afterHost.includes('#') || `${path}${firstName}`.includes('@')
}

export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}
