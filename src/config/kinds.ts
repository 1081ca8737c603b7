import ipaddr from 'ipaddr.js'
import * as yup from 'yup'
import { isWeakPassword } from '../weak-password.js'
import { isDecodable } from './server-urls.js'

export function text() {
  return yup.string()
}

/**
 * A secret that gives access to anyone who guesses it.
 *
 * @param randomBytes the size of the secret that the error suggests
 */
export function hardToGuess(minLength: number, randomBytes: number) {
  return text()
    .min(minLength, `must have at least ${minLength} characters`)
    .test(
      'weak',
      `must be harder to guess. Generate one with \`openssl rand -base64 ${randomBytes}\``,
      (value = '') => value.length < minLength || !isWeakPassword(value),
    )
}

export function count(min: number, max: number) {
  const range = `must be a whole number from ${min} to ${max}`
  return yup.number().typeError(range).integer(range).min(min, range).max(max, range)
}

/** @param what what happens after that many days; with 0, the default, never */
export function retention(what: string) {
  return count(0, 36_500)
    .default(0)
    .meta({ about: `${what}. 0 means forever.` })
}

export function flag() {
  return yup.boolean().typeError('must be true or false')
}

export function httpUrl() {
  return text().test('url', 'must be an http:// or https:// URL without a query', (value) => {
    if (value === undefined) return true
    return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && !/[?#]/.test(value)
  })
}

export function list(isItem: (item: string) => boolean, message: string) {
  return text().test('list', message, (value) => splitList(value).every(isItem))
}

export function splitList(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

export function everyKeyIs32Bytes(value: string | undefined): boolean {
  const keys = splitList(value)
  return keys.length > 0 && keys.every((key) => /^[A-Za-z0-9+/]{43}=$/.test(key))
}

/**
 * True for a key of zeros, which examples and empty buffers have. A value that is no key at all has an error already.
 */
export function noKeyIsZero(value: string | undefined): boolean {
  return splitList(value).every((key) => !/^A{43}=$/.test(key))
}

/** True if HTTP allows the names and values; a request with others would fail. A pair without a name is another fault. */
export function areHeaders(value: string | undefined): boolean {
  return splitList(value).every((pair) => {
    const [, name, encoded = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined) return true
    const isValue = isDecodable(encoded) && /^[\t\x20-\x7e\x80-\xff]*$/.test(decodeURIComponent(encoded))
    return isValue && /^[\w!#$%&'*+.^`|~-]+$/.test(name)
  })
}

export function isAddress(value: string): boolean {
  const url = URL.canParse(`redis://${value}`) ? new URL(`redis://${value}`) : undefined
  return url !== undefined && url.hostname !== '' && url.port !== '' && url.host === value
}

export function isCidr(value: string): boolean {
  return ipaddr.isValidCIDR(value)
}

/** The URL goes into pages and mails unchanged. */
export function isSupportUrl(value: string | undefined): boolean {
  if (value === undefined) return true
  if (/[\s<>"]/.test(value) || !URL.canParse(value)) return false
  const { protocol, hostname, pathname } = new URL(value)
  return protocol === 'mailto:' ? /^[^@]+@[^@]+$/.test(pathname) : protocol === 'https:' && hostname !== ''
}
