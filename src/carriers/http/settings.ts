import * as yup from 'yup'
import { unknownPlaceholders } from './template.js'

/** What an account at a carrier with an HTTP API is made of. */
export interface HttpSettings {
  url: string
  headers: string
  format: 'json' | 'form'
  body: string
  idField: string
  errorField: string
  signingSecret: string
  signatureHeader: string
  messageIdField: string
  fromField: string
  toField: string
  textField: string
  mediaField: string
  statusIdField: string
  statusField: string
  sentWords: string
  deliveredWords: string
  failedWords: string
}

const field = (standard: string, about: string) =>
  yup
    .string()
    .trim()
    .max(200, ({ path }: { path: string }) => `${path} must have at most 200 characters`)
    .default(standard)
    .meta({ about })

const words = (standard: string, about: string) =>
  yup
    .string()
    .max(500, ({ path }: { path: string }) => `${path} must have at most 500 characters`)
    .default(standard)
    .meta({ about: `${about} Separated by commas, in capitals or not.` })

export const httpSettings: yup.ObjectSchema<HttpSettings> = yup.object({
  url: yup
    .string()
    .trim()
    .required('url must be set: where the carrier takes messages, such as https://sms.example.com/messages')
    .test(
      'url',
      'url must be a whole URL, such as https://sms.example.com/messages',
      (url) => /^https?:\/\//i.test(url) && URL.canParse(url),
    )
    .meta({ about: 'Where messages are posted to, such as https://sms.example.com/messages.' }),
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
  format: yup
    .string<'json' | 'form'>()
    .oneOf(['json', 'form'], 'format must be json or form')
    .default('json')
    .meta({ about: 'How the body of a request is written.' }),
  body: yup
    .string()
    .default('')
    .max(10_000, 'body must have at most 10000 characters')
    .test(
      'placeholders',
      ({ value }: { value: string }) => explainPlaceholders(value),
      (body) => unknownPlaceholders(body).length === 0,
    )
    .test('json', 'body must be a JSON object with format=json, such as {"to":"{{to}}"}', function (body) {
      const { format } = this.parent as { format?: string }
      return body.trim() === '' || format === 'form' || isJsonObject(body)
    })
    .meta({
      about:
        'The body with {{from}}, {{to}}, {{text}}, {{mediaUrl}} and {{id}} in it, as a JSON object or as ' +
        'to={{to}}&text={{text}}. What has nothing to fill in is left out. Left empty, it has these five fields.',
      multiline: true,
    }),
  idField: field(
    'id',
    "The answer's field with the carrier's id of the message; data.0.id is one within objects and lists. Empty: it gives none, and ours is used.",
  ),
  errorField: field('error', 'The field of a refusal that says why, for the line’s owner.'),
  signingSecret: yup
    .string()
    .default('')
    .max(500, 'signingSecret must have at most 500 characters')
    .meta({
      about:
        'With this the carrier signs its requests to us: HMAC-SHA256 over the body, in hex or base64. Without it none ' +
        'is taken.',
      secret: true,
    }),
  signatureHeader: yup
    .string()
    .trim()
    .default('X-Signature')
    .matches(/^[\w-]{1,100}$/, 'signatureHeader must be the name of a header, such as X-Signature')
    .meta({ about: 'The header with that signature; a sha256= before it is fine.' }),
  messageIdField: field('id', 'In a message that comes in: the carrier’s id.'),
  fromField: field('from', 'In a message that comes in: who wrote it.'),
  toField: field('to', 'In a message that comes in: the line’s number.'),
  textField: field('text', 'In a message that comes in: its text.'),
  mediaField: field('mediaUrl', 'In a message that comes in: the URL of its picture, or a list of them.'),
  statusIdField: field('id', 'In a report: the id that the message was given when it was sent.'),
  statusField: field('status', 'In a report: what became of it.'),
  sentWords: words('sent,accepted,queued', 'Reports that say that it is on its way.'),
  deliveredWords: words('delivered,read', 'Reports that say that it has arrived.'),
  failedWords: words('failed,undelivered,rejected,expired', 'Reports that say that it will not arrive.'),
})

const HEADER_LINE = /^[!#$%&'*+.^_`|~\w-]+:[^\r\n]*$/

function explainPlaceholders(body: string): string {
  const names = unknownPlaceholders(body).map((name) => `{{${name}}}`)
  return `body has ${names.join(', ')}: it may have {{from}}, {{to}}, {{text}}, {{mediaUrl}} and {{id}}`
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
