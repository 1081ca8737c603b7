import * as yup from 'yup'
import * as kit from '../kit.js'
import { faultOfTemplate } from './template.js'

/** What an account at a carrier with an HTTP API of its own is made of. */

const MAX_TEMPLATE_LENGTH = 10_000

const HEADER_LINE = /^[!#$%&'*+.^_`|~\w-]+:[^\r\n]*$/

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
    .meta({ about: `${about} Separated by commas, in capitals or not.` })

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
    .required('url must be set: where the carrier takes messages, such as https://sms.example.com/messages')
    .test(
      'url',
      'url must be a whole URL, such as https://sms.example.com/messages',
      (url) => /^https?:\/\//i.test(url) && URL.canParse(url),
    )
    .meta({ about: 'Where messages are sent to, such as https://sms.example.com/messages.' }),
  headers: yup
    .string()
    .default('')
    .max(4000, 'headers must have at most 4000 characters')
    .test('headers', 'headers must be lines such as Authorization: Bearer …', (headers) =>
      headers.split('\n').every((line) => line.trim() === '' || HEADER_LINE.test(line.trim())),
    )
    .meta({
      about: 'What every request carries, one a line, such as `Authorization: Bearer …`.',
      secret: true,
      multiline: true,
    }),
  format: kit.setting.choice(
    ['json', 'form', 'xml', 'query'],
    'How a message is written: a body of one of these kinds, or the query of a GET request.',
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
        'The body with {{from}}, {{to}}, {{text}}, {{mediaUrl}} and {{id}} in it, in Liquid: a JSON object, a document in ' +
        'XML, or to={{to}}&text={{text}}. What comes out empty is left out. Left empty, it has these five fields.',
      multiline: true,
    }),
  numbers: kit.setting.choice(
    ['plus', 'plain', 'zeros', 'national'],
    'How numbers are written: +15551234567, 15551234567, 0015551234567, or as in the line’s country.',
  ),
  idField: path(
    'id',
    "The answer's field with the carrier's id of the message; data.0.id is one within objects and lists. Empty: it gives none, and ours is used.",
  ),
  errorField: path('error', 'The field of a refusal that says why, for the line’s owner.'),
  refusalField: path('', 'The field that tells a refusal in an answer of success. Empty: there are none.'),
  refusalWords: words('error,failed,rejected', 'What that field has when the message was refused.'),
  verification: kit.setting.choice(
    ['hmac-sha256', 'hmac-sha1', 'hmac-sha512', 'ed25519', 'header', 'bearer', 'basic', 'url'],
    'How the carrier shows that a request to us is its own: a signature, the secret in a header, as a bearer token, as ' +
      'user:password, or in the URL.',
  ),
  signingSecret: yup
    .string()
    .default('')
    .max(500, 'signingSecret must have at most 500 characters')
    .meta({
      about:
        'The secret of that: the key of the HMAC, the public key of Ed25519, the header’s value, the token, ' +
        'or user:password. Without it nothing that comes in is taken.',
      secret: true,
    }),
  signatureHeader: yup
    .string()
    .trim()
    .default('X-Signature')
    .matches(/^[\w-]{1,100}$/, 'signatureHeader must be the name of a header, such as X-Signature')
    .meta({ about: 'The header with the signature, or with the secret; a sha256= before it is fine.' }),
  signedText: template('signedText', ['body', 'url', 'timestamp']).default('{{ body }}').meta({
    about:
      'What is signed, in Liquid, of {{ body }}, {{ url }} and {{ timestamp }}, such as {{ timestamp }}.{{ body }}.',
  }),
  timestampHeader: yup
    .string()
    .trim()
    .default('')
    .matches(/^[\w-]{0,100}$/, 'timestampHeader must be the name of a header, such as X-Timestamp')
    // A time that is not signed can be written anew, by whoever repeats a request that was recorded.
    .test(
      'signed',
      'signedText must have {{ timestamp }} in it where timestampHeader is set: a time that is not signed proves nothing',
      function (header) {
        const { verification = '', signedText = '' } = this.parent as Partial<Record<string, string>>
        const signsNoTime =
          /^$|^hmac|^ed25519/.test(verification) && faultOfTemplate(signedText, ['body', 'url']) === undefined
        return header === '' || !signsNoTime
      },
    )
    .meta({
      about: 'The header with the time of signing; what is older than 5 minutes is refused. Empty: none.',
    }),
  itemsField: path(
    '',
    'In a request to us: where the list of messages or reports is. Empty: the body is one, or a list.',
  ),
  messageIdField: path('id', 'In a message that comes in: the carrier’s id.'),
  fromField: path('from', 'In a message that comes in: who wrote it.'),
  toField: path(
    'to',
    'In a message that comes in: the line’s number. Where it has none, the URL has it: …/message?to=+15551234567.',
  ),
  textField: path('text', 'In a message that comes in: its text.'),
  mediaField: path('mediaUrl', 'In a message that comes in: the URL of its picture, or a list of them.'),
  statusIdField: path('id', 'In a report: the id that the message was given when it was sent.'),
  statusField: path('status', 'In a report: what became of it.'),
  sentWords: words('sent,accepted,queued', 'Reports that say that it is on its way.'),
  deliveredWords: words('delivered,read', 'Reports that say that it has arrived.'),
  failedWords: words('failed,undelivered,rejected,expired', 'Reports that say that it will not arrive.'),
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
