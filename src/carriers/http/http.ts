import { MAX_URL_LENGTH } from '../../safe-fetch.js'
import { CarrierRejected } from '../carrier.js'
import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'
import { httpSettings, type HttpSettings } from './settings.js'
import { fillFields, fillJson, fillText, fillXml } from './template.js'

/** A carrier that an operator describes by settings, because no provider file exists for it. */
export const http: kit.Provider<HttpSettings> = {
  kind: 'http',
  title: 'HTTP API',
  // The body of the request has one `{{mediaUrl}}`.
  media: { count: 1 },
  settings: httpSettings,
  numbers: ({ numbers }) => numbers,
  credentialsHint: "Check the account's headers.",
  api: ({ url, headers }) => ({ url, headers: readHeaders(headers) }),

  send: ({ id, from, to, text = '', mediaUrls }, { settings }) => {
    const [mediaUrl = ''] = mediaUrls
    const values = { from, to, text, mediaUrl, id }
    const { url: path, body } = settings
    switch (settings.format) {
      case 'json':
        return { path, json: fillJson(body, values) }
      case 'form':
        return { path, form: fillFields(body, values) }
      case 'xml':
        return { path, text: { type: 'application/xml', body: fillXml(body, values) } }
      case 'query': {
        const whole = new URL(path)
        for (const [name, value] of Object.entries(fillFields(body, values)))
          whole.searchParams.set(name, value)
        if (whole.href.length > MAX_URL_LENGTH)
          throw new CarrierRejected('the text is too long for a carrier that takes it in a URL')
        return { path: whole.href }
      }
    }
  },
  id: ({ body }, message, { idField }) => (idField === '' ? message.id : textAt(body, idField)),
  refusal: ({ status, body }, { errorField, refusalField, refusalWords }) => {
    const isRefused =
      status < 200 || status > 299 || isOneOf(refusalWords, textAt(body, refusalField).toLowerCase())
    if (!isRefused) return undefined
    return { said: textAt(body, errorField), ...(status > 299 && { code: String(status) }) }
  },
  test: ({ url }) => ({ path: url, method: 'GET' }),
  isWorking: ({ status }) => status !== 401 && status !== 403,

  callbacks: {
    urls: { message: 'URL for incoming messages', status: 'URL for delivery reports' },
    hint: "the signature or secret does not match. Check the account's verification, signingSecret and signatureHeader",
    takesGet: true,
    bringsMany: true,
    key: ({ verification, callbackKey }) => (verification === 'url' ? callbackKey : undefined),
    verify: (settings, request) => isVerified(settings, request),
    items: ({ content, fields }, _, { itemsField }) =>
      itemsField === '' ? (content ?? fields) : at(content ?? fields, itemsField),
    read: (item, { name, request, settings }) =>
      name === 'message' ? readMessage(item, request, settings) : readReport(item, settings),
    answer: { type: 'application/json', body: '{"success":true}' },
  },
}

function isVerified(settings: HttpSettings, request: kit.CallbackRequest): boolean {
  const { verification, signingSecret: secret, signatureHeader, signedText, timestampHeader } = settings
  const timestamp = timestampHeader === '' ? '' : request.header(timestampHeader)
  if (timestampHeader !== '' && !kit.verify.isFresh(timestamp)) return false
  if (verification === 'url') return true
  if (secret === '') return false
  const given = request.header(signatureHeader)
  switch (verification) {
    case 'header':
      return kit.verify.isSecret(given, secret)
    case 'bearer':
      return kit.verify.hasBearer(request, secret)
    case 'basic': {
      const [user = '', ...password] = secret.split(':')
      return kit.verify.hasBasicAuth(request, user, password.join(':'))
    }
    case 'ed25519':
    case 'hmac-sha1':
    case 'hmac-sha256':
    case 'hmac-sha512': {
      const body = request.body
      // A body may contain bytes that are not text, so its original bytes are signed.
      const over =
        signedText.trim() === '{{ body }}'
          ? body
          : fillText(signedText, { body: body.toString(), url: request.url, timestamp })
      if (verification === 'ed25519') return kit.verify.isEd25519(secret, over, given)
      return isHmac(verification.slice('hmac-'.length) as 'sha256', secret, over, given)
    }
  }
}

/** True if the signature fits, in hex or base64, with or without `sha256=` before it. */
function isHmac(
  algorithm: 'sha1' | 'sha256' | 'sha512',
  secret: string,
  over: string | Buffer,
  header: string,
): boolean {
  const given = header.replace(/^sha(?:1|256|512)=/i, '')
  return (['hex', 'base64'] as const).some((encoding) =>
    kit.verify.isHmac({ algorithm, encoding, secret, over, given }),
  )
}

function readMessage(
  item: unknown,
  { query }: kit.CallbackRequest,
  settings: HttpSettings,
): kit.CallbackItem {
  const { messageIdField, fromField, toField, textField, mediaField } = settings
  return kit.message({
    id: textAt(item, messageIdField),
    from: textAt(item, fromField),
    // A plus sign in a query stands for a space.
    to: textAt(item, toField) || (query.get('to') ?? '').replace(/^ /, '+'),
    text: textAt(item, textField),
    mediaUrls: kit.textsAt(item, mediaField),
  })
}

/** Some carriers report with our ID, which they got with the message, even if they gave it one of their own. */
function readReport(item: unknown, settings: HttpSettings): kit.CallbackItem {
  const id = textAt(item, settings.statusIdField)
  const word = textAt(item, settings.statusField).trim().toLowerCase()
  const said = textAt(item, settings.errorField)
  const report = (state: string) =>
    kit.receipt({ [state]: state } as kit.StateTable, {
      ...{ id, messageId: id || undefined, state, said: said === '' ? word : said },
    })
  if (isOneOf(settings.deliveredWords, word)) return report('delivered')
  if (isOneOf(settings.sentWords, word)) return report('sent')
  if (isOneOf(settings.failedWords, word)) return report('failed')
  return kit.unclear(`a report with status "${word}"`)
}

function isOneOf(words: string, word: string): boolean {
  return word !== '' && words.split(',').some((each) => each.trim().toLowerCase() === word)
}

function readHeaders(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon), line.slice(colon + 1).trim()]
      }),
  )
}
