import { createPrivateKey, X509Certificate } from 'node:crypto'
import * as yup from 'yup'
import { choice } from '../kit/settings.js'
import {
  linesOf,
  readHost,
  readLanguages,
  readNetwork,
  readReceiptError,
  readStatusRule,
  readTlv,
} from './setting-lines.js'

/** The settings of an account at an SMSC. */
export const smppSettings = yup.object({
  host: yup.string().trim().required().meta({ about: 'The host name or address of the SMSC.' }),
  port: whole(1, 65_535).default(2775).meta({ about: 'The port of the SMSC.' }),
  tls: yup.boolean().default(false).meta({ about: 'Whether to connect with TLS.' }),
  tlsCertificate: pem('certificate').meta({
    about: "With TLS, the certificate (PEM) to trust if the SMSC's is not signed by a public authority.",
    multiline: true,
  }),
  systemId: ascii(15).required().meta({ about: 'The system ID to bind with.' }),
  // SMPP 3.4 allows 8 characters; SMSCs take longer passwords.
  password: ascii(64).default('').meta({ about: 'The password to bind with.', secret: true }),
  systemType: ascii(12).default('').meta({ about: 'Leave empty unless the SMSC requires one.' }),
  bindAs: choice(
    ['transceiver', 'transmitter-and-receiver'],
    '`transceiver` uses one session for both directions. `transmitter-and-receiver` uses two, if the SMSC requires it.',
  ),
  bindCount: whole(1, 20).default(1).meta({
    about:
      'The number of sessions across all processes. With transmitter-and-receiver, the number of each kind.',
  }),
  windowSize: whole(1, 1000)
    .default(10)
    .meta({ about: 'How many messages one session may send before the first is answered.' }),
  sourceTon: whole(0, 6)
    .default(1)
    .meta({ about: 'Type of number of our lines: 1 international, 0 unknown.' }),
  sourceNpi: whole(0, 18)
    .default(1)
    .meta({ about: 'Numbering plan of our lines: 1 ISDN (E.164), 0 unknown.' }),
  destTon: whole(0, 6).default(1).meta({ about: 'Type of number of recipients.' }),
  destNpi: whole(0, 18).default(1).meta({ about: 'Numbering plan of recipients.' }),
  shortCodeTon: whole(0, 6).default(3).meta({
    about: 'Type of number of short codes, as sender or recipient: 3 network specific, 6 abbreviated.',
  }),
  shortCodeNpi: whole(0, 18).default(0).meta({ about: 'Numbering plan of short codes: 0 unknown.' }),
  nameTon: whole(0, 6).default(5).meta({ about: 'Type of number of names as senders: 5 alphanumeric.' }),
  nameNpi: whole(0, 18).default(0).meta({ about: 'Numbering plan of names as senders: 0 unknown.' }),
  plusSign: yup.boolean().default(false).meta({ about: 'Whether to send numbers with a leading +.' }),
  longMessages: choice(
    ['udh', 'payload'],
    'How long texts are split: `udh` splits them here, `payload` lets the SMSC do it (message_payload).',
  ),
  defaultAlphabet: choice(
    ['gsm-7', 'latin-1'],
    'The encoding that the SMSC uses for data_coding 0: `gsm-7` or `latin-1`.',
  ),
  nationalTables: lines(readLanguages)
    .test(
      'udh',
      'nationalTables must be empty with longMessages=payload and with defaultAlphabet=latin-1',
      function (languages) {
        const { longMessages = 'udh', defaultAlphabet = 'gsm-7' } = this.parent as {
          longMessages?: string
          defaultAlphabet?: string
        }
        return languages.trim() === '' || (longMessages === 'udh' && defaultAlphabet === 'gsm-7')
      },
    )
    .meta({
      about:
        'The languages whose national tables texts may use, so that they are sent as GSM-7 instead of UCS-2: turkish, spanish, portuguese. ' +
        'The SMSC and the phones must support these tables.',
    }),
  receiptIds: choice(
    ['as-sent', 'hex-to-decimal', 'decimal-to-hex'],
    "How receipts write the SMSC's message ID: `as-sent`, `hex-to-decimal` or `decimal-to-hex`.",
  ),
  serviceType: ascii(5)
    .default('')
    .meta({ about: 'Leave empty unless the SMSC requires one (service_type).' }),
  priority: whole(0, 3).default(0).meta({ about: 'The priority_flag of messages: 0 lowest, 3 highest.' }),
  receipts: choice(['all', 'failures', 'none'], 'Which receipts to request (registered_delivery).'),
  validity: yup
    .boolean()
    .default(true)
    .meta({ about: 'Whether to tell the SMSC when a text with `expiresAt` expires (validity_period).' }),
  gsmDataCoding: whole(0, 255).default(0).meta({
    about: 'The data_coding of texts in the default alphabet, if the SMSC expects a value other than 0.',
  }),
  unicodeDataCoding: whole(0, 255)
    .default(8)
    .meta({ about: 'The data_coding of all other texts (UCS-2), if the SMSC expects a value other than 8.' }),
  tlvs: lines(readTlv).meta({
    about:
      'Additional fields, one per line: name, tag, type (text, cstring, int8, int16, int32, hex) and a value, such as ' +
      '`entityId 0x1400 text 1101234567890`. A message can set its own value in `carrierOptions` under that name.',
    multiline: true,
  }),
  statuses: lines(readStatusRule).meta({
    about:
      "The meaning of the SMSC's own statuses, one per line: a number, then throttled, unavailable, rejected, account or " +
      'unknown, such as `0x0412 throttled`. A reason (docs/carriers/codes.md) can follow rejected and account, ' +
      'such as `0x0413 account no_credit`.',
    multiline: true,
  }),
  receiptErrors: lines(readReceiptError).meta({
    about:
      "The meaning of the SMSC's own errors in receipts (`err`), one per line: codes, then a reason (docs/carriers/codes.md), " +
      'such as `027 0x1c unreachable`.',
    multiline: true,
  }),
  standbyHosts: lines(readHost).meta({
    about: 'Hosts to bind to if the first one is unreachable or refuses, one per line, as host or host:port.',
    multiline: true,
  }),
  receiverHost: lines(readHost).meta({
    about: "With transmitter-and-receiver, the receiver's host if it is different, as host or host:port.",
  }),
  outbindPort: whole(0, 65_535).default(0).meta({
    about:
      'The port on which the SMSC connects to us and sends outbind, for the transceiver or the receiver. With 0, we connect to the SMSC.',
  }),
  outbindFrom: lines(readNetwork)
    .test(
      'outbind',
      'outbindFrom must be set with outbindPort to the addresses of the SMSC',
      function (from) {
        return !hasOutbind(this.parent) || from.trim() !== ''
      },
    )
    .meta({
      about:
        'With outbindPort, the addresses that may connect, one per line, such as 203.0.113.7 or 203.0.113.0/24.',
      multiline: true,
    }),
  outbindSystemId: ascii(15)
    .default('')
    .meta({ about: 'With outbindPort, the system ID that the SMSC sends. Leave empty to accept any.' }),
  outbindPassword: ascii(64)
    .default('')
    .test('outbind', 'outbindPassword must be set with outbindPort', function (password) {
      return !hasOutbind(this.parent) || password !== ''
    })
    .meta({ about: 'With outbindPort, the password that the SMSC sends.', secret: true }),
  outbindCertificate: pem('certificate')
    .test('tls', 'outbindCertificate must be set with outbindPort and tls', function (certificate) {
      return !hasOutbindTls(this.parent) || certificate !== ''
    })
    .meta({
      about:
        'With outbindPort and tls, the certificate (PEM) that we present, with any intermediate certificates.',
      multiline: true,
    }),
  outbindKey: pem('private key')
    .test('tls', 'outbindKey must be set with outbindPort and tls', function (key) {
      return !hasOutbindTls(this.parent) || key !== ''
    })
    .meta({
      about: 'With outbindPort and tls, the private key (PEM) of that certificate.',
      secret: true,
      multiline: true,
    }),
  enquireLinkSeconds: whole(1, 3600)
    .default(30)
    .meta({ about: 'How often to check that the SMSC is still there (enquire_link).' }),
})

/** A complete text: TLS would ignore a truncated certificate, and a truncated key fails only at the port. */
function pem(what: 'certificate' | 'private key') {
  return yup
    .string()
    .default('')
    .test(
      'pem',
      `\${path} must be a whole ${what} in PEM, with its lines -----BEGIN and -----END`,
      (text) => {
        try {
          if (text !== '' && what === 'certificate') new X509Certificate(text)
          if (text !== '' && what === 'private key') createPrivateKey(text)
          return true
        } catch {
          return false
        }
      },
    )
}

/** Reads the other settings of the account when one of them is checked. */
function hasOutbind(settings: unknown): boolean {
  const { outbindPort = 0 } = settings as { outbindPort?: number }
  return outbindPort !== 0
}

function hasOutbindTls(settings: unknown): boolean {
  const { tls = false } = settings as { tls?: boolean }
  return tls && hasOutbind(settings)
}

/** A text whose lines must all be readable. */
function lines(read: (line: string) => unknown) {
  return yup
    .string()
    .default('')
    .test(
      'lines',
      ({ value, path }) => `${path}: ${faultIn(String(value), read) ?? ''}`,
      (value) => {
        return faultIn(value, read) === undefined
      },
    )
}

function faultIn(text: string, read: (line: string) => unknown): string | undefined {
  try {
    linesOf(text).forEach(read)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

export type SmppSettings = yup.InferType<typeof smppSettings>

function whole(min: number, max: number) {
  const range = `must be a whole number from ${min} to ${max}`
  return yup
    .number()
    .typeError(`\${path} ${range}`)
    .integer(`\${path} ${range}`)
    .min(min, `\${path} ${range}`)
    .max(max, `\${path} ${range}`)
}

/** A C-octet string of the protocol. */
function ascii(max: number) {
  return yup
    .string()
    .max(max)
    .matches(/^[\x20-\x7e]*$/, '${path} must contain only ASCII characters')
}
