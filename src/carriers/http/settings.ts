import * as yup from 'yup'
import * as kit from '../kit.js'
import { faultOfTemplate } from './template.js'

/** The settings of an account at a carrier with any other HTTP API. */

const MAX_TEMPLATE_LENGTH = 10_000

/** Values are visible ASCII with spaces inside: what looks like it, from a web page, would never be sent. */
const HEADER_LINE = /^[!#$%&'*+.^_`|~\w-]+:[\t -~]*$/
/** Headers that the connection sets, and encodings that we could not read. */
const NOT_TO_SET =
  /^(accept-encoding|connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

/** A path of fields, such as `data.0.id`. */
const path = (standard: string, about: string) =>
  yup
    .string()
    .trim()
    .max(200, ({ path: name }: { path: string }) => `${name} must have at most 200 characters`)
    .default(standard)
    .meta({ about })

const words = (standard: string, about: string) =>
  yup
    .string()
    .max(500, ({ path: name }: { path: string }) => `${name} must have at most 500 characters`)
    .default(standard)
    .meta({ about: `${about} Separate them with commas. Upper and lower case are treated the same.` })

const template = (name: string, values?: readonly string[]) =>
  yup
    .string()
    .default('')
    .max(MAX_TEMPLATE_LENGTH, `${name} must have at most ${MAX_TEMPLATE_LENGTH} characters`)
    .test(
      'liquid',
      ({ value }: { value: string }) => `${name}: ${faultOfTemplate(value, values) ?? ''}`,
      (text) => faultOfTemplate(text, values) === undefined,
    )

export const httpSettings = yup.object({
  url: yup
    .string()
    .trim()
    .required(
      'url must be set to the URL where the carrier accepts messages, such as https://sms.example.com/messages',
    )
    .test(
      'url',
      'url must be a full URL, such as https://sms.example.com/messages',
      (url) => /^https?:\/\//i.test(url) && URL.canParse(url),
    )
    .meta({ about: 'The URL that messages are sent to, such as https://sms.example.com/messages.' }),
  headers: yup
    .string()
    .default('')
    .max(4000, 'headers must have at most 4000 characters')
    .test('headers', 'headers must be lines such as Authorization: Bearer …, in plain ASCII', (headers) =>
      headers.split('\n').every((line) => line.trim() === '' || HEADER_LINE.test(line.trim())),
    )
    .test(
      'names',
      'headers must not contain Host, Content-Length, Accept-Encoding or headers of the connection',
      (headers) => headers.split('\n').every((line) => !NOT_TO_SET.test(line.split(':', 1)[0]?.trim() ?? '')),
    )
    .meta({
      about: 'Headers added to every request, one per line, such as `Authorization: Bearer …`.',
      secret: true,
      multiline: true,
    }),
  format: kit.setting.choice(
    ['json', 'form', 'xml', 'query'],
    'The format of a message: a body of one of these types, or the query of a GET request.',
  ),
  body: template('body')
    .test('json', 'body must be a JSON object with format=json, such as {"to":"{{to}}"}', function (body) {
      const { format } = this.parent as { format?: string }
      return body.trim() === '' || (format ?? 'json') !== 'json' || isJsonObject(body)
    })
    .test('xml', 'body must be set with format=xml', function (body) {
      return body.trim() !== '' || (this.parent as { format?: string }).format !== 'xml'
    })
    .meta({
      about:
        'A Liquid template for the body, with {{from}}, {{to}}, {{text}}, {{mediaUrl}} and {{id}}: a JSON object, an ' +
        'XML document, or to={{to}}&text={{text}}. Empty values are omitted. Leave empty to send these five fields.',
      multiline: true,
    }),
  numbers: kit.setting.choice(
    ['plus', 'plain', 'zeros', 'national'],
    "The format of phone numbers: +15551234567, 15551234567, 0015551234567, or the national format of the line's country.",
  ),
  idField: path(
    'id',
    "The response field with the carrier's message ID. Use a path such as data.0.id for nested objects and lists. Leave empty if there is none; Linehook's own ID is used instead.",
  ).meta({ mayBeEmpty: true }),
  errorField: path(
    'error',
    "The field of an error response that gives the reason. It is shown to the line's owner.",
  ),
  refusalField: path(
    '',
    'The field that shows whether a successful response is actually a refusal. Leave empty if this does not happen.',
  ),
  refusalWords: words('error,failed,rejected', 'The values of that field for a refused message.'),
  verification: kit.setting.choice(
    ['hmac-sha256', 'hmac-sha1', 'hmac-sha512', 'ed25519', 'header', 'bearer', 'basic', 'url'],
    'How the carrier authenticates its requests to us: a signature, or the secret in a header, as a bearer token, as ' +
      'user:password, or in the URL.',
  ),
  signingSecret: yup
    .string()
    .default('')
    .max(500, 'signingSecret must have at most 500 characters')
    .meta({
      about:
        "The secret for the verification: the HMAC key, the Ed25519 public key, the header's value, the token, " +
        'or user:password. Without it, all incoming requests are rejected.',
      secret: true,
    }),
  signatureHeader: yup
    .string()
    .trim()
    .default('X-Signature')
    .matches(/^[\w-]{1,100}$/, 'signatureHeader must be the name of a header, such as X-Signature')
    .meta({ about: 'The header with the signature or the secret. A prefix such as sha256= is accepted.' }),
  signedText: template('signedText', ['body', 'url', 'timestamp']).default('{{ body }}').meta({
    about:
      'A Liquid template for the signed text, with {{ body }}, {{ url }} and {{ timestamp }}, such as {{ timestamp }}.{{ body }}.',
  }),
  timestampHeader: yup
    .string()
    .trim()
    .default('')
    .matches(/^[\w-]{0,100}$/, 'timestampHeader must be the name of a header, such as X-Timestamp')
    // If the time is not signed, a recorded request can be repeated with a new one.
    .test(
      'signed',
      'signedText must contain {{ timestamp }} if timestampHeader is set, because an unsigned time proves nothing',
      function (header) {
        const { verification = '', signedText = '' } = this.parent as Partial<Record<string, string>>
        const signsNoTime =
          /^$|^hmac|^ed25519/.test(verification) && faultOfTemplate(signedText, ['body', 'url']) === undefined
        return header === '' || !signsNoTime
      },
    )
    .meta({
      about:
        'The header with the signing time. Requests older than 5 minutes are refused. Leave empty if there is none.',
    }),
  itemsField: path(
    '',
    'The field that contains the list of messages or reports in a request to us. Leave empty if the body itself is a single item or a list.',
  ),
  messageIdField: path('id', "The field with the carrier's ID of an incoming message."),
  fromField: path('from', 'The field with the sender of an incoming message.'),
  toField: path(
    'to',
    "The field with the line's number in an incoming message. If there is none, put the number in the URL: …/message?to=+15551234567.",
  ),
  textField: path('text', 'The field with the text of an incoming message.'),
  mediaField: path('mediaUrl', 'The field with the URL of an incoming picture, or a list of URLs.'),
  statusIdField: path(
    'id',
    'The field of a delivery report with the message ID that was assigned when it was sent.',
  ),
  statusField: path('status', 'The field of a delivery report with the status.'),
  sentWords: words('sent,accepted,queued', 'Statuses that mean the message is on its way.'),
  deliveredWords: words('delivered,read', 'Statuses that mean the message was delivered.'),
  failedWords: words(
    'failed,undelivered,rejected,expired',
    'Statuses that mean the message was not delivered.',
  ),
  callbackKey: kit.setting.callbackKey(),
})

export type HttpSettings = yup.InferType<typeof httpSettings>

function isJsonObject(text: string): boolean {
  try {
    return kit.isRecord(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
