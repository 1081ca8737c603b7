import type { ApiAnswer, ApiRequest } from './server.js'

/** A request to send, from the variables of a GET or from the headers and body of a POST. */
export interface KannelRequest {
  username: string | undefined
  password: string | undefined
  from: string | undefined
  to: string | undefined
  text: string
  coding: number | undefined
  dlrMask: number | undefined
  dlrUrl: string | undefined
  numbers: Readonly<Record<string, number | undefined>>
  account: string | undefined
  isTextReadable: boolean
}

/** The guide's «SMS Push (send-sms) CGI Variables», and `meta-data` of gw/smsbox.c. */
const variables = [
  ...[
    'username',
    'user',
    'password',
    'pass',
    'from',
    'to',
    'text',
    'charset',
    'udh',
    'smsc',
    'flash',
    'mclass',
    'mwi',
  ],
  ...[
    'compress',
    'coding',
    'validity',
    'deferred',
    'dlrmask',
    'dlr-mask',
    'dlrurl',
    'dlr-url',
    'pid',
    'alt-dcs',
    'rpi',
  ],
  ...['account', 'binfo', 'priority', 'meta-data'],
]
/** Least and most of the numeric ones, with the name that the refusal has: `smsbox_req_handle`. */
const ranges: Readonly<Record<string, [least: number, most: number, name: string]>> = {
  'dlr-mask': [-1, 63, 'DLR-Mask'],
  mclass: [-1, 3, 'MClass'],
  pid: [-1, 255, 'PID'],
  rpi: [-1, 2, 'RPI'],
  'alt-dcs': [-1, 1, 'Alt-DCS'],
  mwi: [-1, 7, 'MWI'],
  coding: [-1, 2, 'Coding'],
  compress: [-1, 1, 'Compress'],
  validity: [-1, Infinity, 'Validity'],
  deferred: [-1, Infinity, 'Deferred'],
  priority: [0, 3, 'Priority'],
}

export function readKannel(
  got: ApiRequest,
): { request: KannelRequest; unknown: string[] } | { refusal: ApiAnswer } {
  return got.method === 'POST' && got.body.length > 0 ? readPost(got) : readGet(got)
}

/** The query as bytes, as its charset need not be UTF-8. A POST without a body is read like this too. */
function readGet(got: ApiRequest): { request: KannelRequest; unknown: string[] } {
  const found = new Map<string, Buffer>()
  for (const pair of (got.target.split('?')[1] ?? '').split('&')) {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const key = decode(name).toString('utf8')
    if (key !== '' && !found.has(key)) found.set(key, decode(value))
  }
  const get = (name: string) => found.get(name)?.toString('utf8')
  const request = build(get, found.get('text') ?? Buffer.alloc(0), get('charset'))
  return { request, unknown: [...found.keys()].filter((name) => !variables.includes(name)) }
}

/** The guide's «X-Kannel Headers»: everything but the text is in headers, so no secret is in an address. */
function readPost(got: ApiRequest): { request: KannelRequest; unknown: string[] } | { refusal: ApiAnswer } {
  const type = got.contentType
  if (type === 'text/html' || type === 'text/vnd.wap.wml') {
    // Accepted by the guide, but `smsbox_sendsms_post` refuses them after it has checked the password.
    return { refusal: { status: 415, body: 'Unsupported content-type, rejected' } }
  }
  if (type === 'text/xml') {
    return { refusal: { status: 501, body: 'This stand-in, not Kannel, takes no XML.' } }
  }
  if (type !== 'text/plain' && type !== 'application/octet-stream') {
    return { refusal: { status: 400, body: 'Invalid content-type' } }
  }
  const get = (name: string) => got.headers[`x-kannel-${name}`]?.toString().trim()
  const charset = /charset="?([^";]+)"?/i.exec(got.headers['content-type'] ?? '')?.[1]
  const request = build(get, got.body, charset)
  if (request.coding === undefined && type === 'application/octet-stream') request.coding = 1
  const unknown = Object.keys(got.headers)
    .filter((name) => name.startsWith('x-kannel-'))
    .filter((name) => !variables.includes(name.slice('x-kannel-'.length)))
  return { request, unknown }
}

function build(
  get: (name: string) => string | undefined,
  text: Buffer,
  charset: string | undefined,
): KannelRequest {
  const number = (name: string) => {
    const digits = /^\s*[+-]?\d+/.exec(get(name) ?? '')?.[0]
    return digits === undefined ? undefined : Number(digits)
  }
  const coding = number('coding') ?? (get('udh') === undefined ? undefined : 1)
  let isTextReadable = true
  let readable = ''
  try {
    // Without a charset, 7 bits are UTF-8, and UCS-2 is UTF-16BE.
    readable = new TextDecoder(charset ?? (coding === 2 ? 'utf-16be' : 'utf-8'), { fatal: true }).decode(text)
  } catch {
    isTextReadable = false
  }
  return {
    username: get('username') ?? get('user'),
    password: get('password') ?? get('pass'),
    from: get('from'),
    to: get('to'),
    text: readable,
    coding,
    dlrMask: number('dlr-mask') ?? number('dlrmask'),
    dlrUrl: get('dlr-url') ?? get('dlrurl'),
    numbers: Object.fromEntries(
      Object.keys(ranges).map((name) => [
        name,
        number(name) ?? (name === 'dlr-mask' ? number('dlrmask') : undefined),
      ]),
    ),
    account: get('account'),
    isTextReadable,
  }
}

/** The refusals with a status of 400, in the words that Kannel has: gw/smsbox.c. */
export function findWrongKannel(request: KannelRequest): string | undefined {
  if (request.to === undefined) return 'Missing receiver number, rejected'
  if (request.to.trim() === '') return 'Empty receiver number not allowed, rejected'
  if (!/^[0-9 +-]+$/.test(request.to)) return 'Number(s) has/have been denied by white- and/or black-lists.'
  if (request.from === undefined || request.from === '') return 'Sender missing and no global set, rejected'
  if ((request.account?.length ?? 0) > 64 || /[[\]\n\r]/.test(request.account ?? '')) {
    return 'Account field misformed or too long, rejected'
  }
  if (request.dlrUrl !== undefined && request.dlrUrl !== '' && !/^https?:\/\/./i.test(request.dlrUrl)) {
    return 'DLR-URL field misformed, rejected'
  }
  for (const [name, [least, most, field]] of Object.entries(ranges)) {
    const value = request.numbers[name]
    if (value !== undefined && (value < least || value > most)) return `${field} field misformed, rejected`
  }
  return request.isTextReadable ? undefined : 'Charset or body misformed, rejected'
}

/** Bytes of a part of a query: + is a space, %XX a byte. */
function decode(part: string): Buffer {
  const text = part
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(text, 'latin1')
}
