import * as yup from 'yup'
import * as kit from './kit.js'
import { textAt } from './kit.js'

type Settings = yup.InferType<typeof settings>

const settings = yup.object({
  apiUrl: kit.setting.apiUrl('http://localhost:13013/cgi-bin/sendsms').meta({
    about: 'The URL where smsbox accepts messages, built from its host, sendsms-port and sendsms-url.',
  }),
  username: kit.setting.needed("The username of a sendsms-user group in Kannel's configuration."),
  password: kit.setting.secret('The password of that group.'),
  smsc: kit.setting.optional('The smsc-id to send through. Leave empty to let Kannel choose.'),
  callbackKey: kit.setting.callbackKey(),
})

/**
 * Chapters named in these comments refer to https://www.kannel.org/download/kannel-userguide-snapshot/userguide.html.
 */

/**
 * The bits of `dlr-mask` ("Delivery Reports"). Later versions write the SMS centre's answer in more bits beside that
 * of a failure: 34 is expired, 66 is unknown.
 */
const STATES: kit.StateTable = {
  1: 'delivered',
  2: 'failed',
  4: 'sent',
  8: 'sent',
  16: 'failed',
  34: 'failed',
  66: 'failed',
}

/** Kannel's responses, as text ("Using the HTTP interface to send SMS messages", and gw/smsbox.c). */
const ANSWERS: readonly (readonly [RegExp, kit.Refusal['meaning']])[] = [
  [/Authorization failed/i, 'account'],
  [/Not routable/i, 'rejected'],
  // Kannel took nothing. Any other 503 may come from a server in between.
  [/Temporal failure/i, 'throttled'],
]

export const kannel: kit.Provider<Settings> = {
  kind: 'kannel',
  title: 'Kannel',
  settings,
  credentialsHint: 'Check the username, password and user-allow-ip of the sendsms-user group.',
  api: ({ apiUrl, username, password }) => ({
    url: apiUrl,
    // The credentials are in headers, so that no password gets into a log of URLs.
    headers: { 'X-Kannel-Username': username, 'X-Kannel-Password': password },
  }),

  /** See "Using the HTTP interface to send SMS messages", with POST. */
  send: (message, { settings: { smsc }, callbackUrl }) => {
    const { id, from, to, text = '' } = message
    return {
      path: '',
      text: { type: 'text/plain; charset=UTF-8', body: text },
      headers: {
        'X-Kannel-From': from,
        'X-Kannel-To': to,
        'X-Kannel-Coding': kit.isGsm7(text) ? '0' : '2',
        'X-Kannel-DLR-Mask': '31',
        // Kannel interprets our percent signs too; two of them stand for one.
        'X-Kannel-DLR-Url': `${callbackUrl('message', { messageId: id }).replaceAll('%', '%%')}&type=%d&said=%A`,
        ...(smsc === '' ? {} : { 'X-Kannel-SMSC': smsc }),
      },
    }
  },
  // Kannel returns no id. "Sent." is its answer with immediate-sendsms-reply.
  id: ({ text }, { id }) => (/^\s*([03]:|Sent\.)/.test(text) ? id : ''),
  refusal: ({ status, text }) => {
    if (status < 300) return undefined
    const meaning = ANSWERS.find(([words]) => words.test(text))?.[1]
    return { said: text, ...(meaning === undefined ? {} : { meaning }) }
  },

  // This is a message without a recipient: with the right credentials, Kannel complains that the recipient is missing.
  // Without a body, headers are not read (gw/smsbox.c).
  test: () => ({ path: '', text: { type: 'text/plain; charset=UTF-8', body: 'test' } }),
  isWorking: ({ status, text }) => status === 400 && /missing receiver/i.test(text),

  callbacks: {
    urls: {
      message: 'get-url of the sms-service, followed by &from=%p&to=%P&text=%b&charset=%C&coding=%c&id=%I',
    },
    hint: "the secret in the URL does not match. Copy the URL to Kannel's configuration again",
    key: ({ callbackKey }) => callbackKey,
    takesGet: true,
    items: ({ query }) => Object.fromEntries(query),
    read: (fields, { request }) => {
      const messageId = textAt(fields, 'messageId')
      return messageId === '' ? readMessage(fields, request) : readReport(fields, messageId)
    },
    // Kannel texts the answer to the phone, unless max-messages is 0. 204 is a failure ("SMS services").
    answer: { type: 'text/plain', body: '' },
  },
}

/**
 * A GET has the text in its query; a POST has it in its body, and the rest in its query ("SMS services", get-url and
 * post-url).
 */
function readMessage(fields: unknown, { method, url, body, header }: kit.CallbackRequest): kit.CallbackItem {
  const isPost = method === 'POST'
  const charset = isPost ? /charset="?([\w-]+)/i.exec(header('Content-Type'))?.[1] : textAt(fields, 'charset')
  const coding = textAt(fields, 'coding') || header('X-Kannel-Coding')
  if (coding === '1') return kit.unclear('a message that is not a text')
  const text = decode(isPost ? body : bytesOf(url, 'text'), charset ?? '', coding)
  if (text === undefined) return kit.unclear(`a text in charset "${charset ?? ''}"`)
  return kit.message({
    id: textAt(fields, 'id'),
    from: textAt(fields, 'from') || header('X-Kannel-From'),
    to: textAt(fields, 'to') || header('X-Kannel-To'),
    text,
  })
}

/** Without mo-recode, texts that do not fit GSM-7 come as UTF-16BE. */
function decode(bytes: Buffer, charset: string, coding: string): string | undefined {
  try {
    return new TextDecoder(charset || (coding === '2' ? 'utf-16be' : 'utf-8')).decode(bytes)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Reads a parameter as bytes, because its charset may differ from that of URLs. */
function bytesOf(url: string, name: string): Buffer {
  const pair = url.split(/[?&]/).find((each) => each.startsWith(`${name}=`)) ?? ''
  const written = pair.slice(name.length + 1).replaceAll('+', ' ')
  const latin = written.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(latin, 'latin1')
}

/** The SMS centre's words are `NACK/code/words`, or an SMPP receipt with `stat:` and `err:` in it. */
function readReport(fields: unknown, messageId: string): kit.CallbackItem {
  const said = textAt(fields, 'said')
  const [, code = '', words] = /^NACK\/(?:(\w+)\/)?(.*)/s.exec(said) ?? /\berr:(\w+)/.exec(said) ?? []
  const stat = /\bstat:(\w+)/.exec(said)?.[1]
  return kit.receipt(STATES, {
    id: messageId,
    state: textAt(fields, 'type'),
    code,
    said: words ?? stat ?? '',
    messageId,
  })
}
