import * as yup from 'yup'

/** What an account at an SMSC is made of. */
export const smppSettings = yup.object({
  host: yup.string().trim().required().meta({ about: 'Where the SMSC is: a name or an address.' }),
  port: whole(1, 65_535).default(2775).meta({ about: 'The port of the SMSC.' }),
  tls: yup.boolean().default(false).meta({ about: 'Whether to connect by TLS.' }),
  tlsCertificate: yup.string().default('').meta({
    about: 'With TLS: the certificate (PEM) to trust, where no public authority has signed the SMSC’s.',
    multiline: true,
  }),
  systemId: ascii(15).required().meta({ about: 'The name to bind with.' }),
  // SMPP 3.4 allows 8 characters; SMSCs take longer passwords.
  password: ascii(64).default('').meta({ about: 'The password to bind with.', secret: true }),
  systemType: ascii(12).default('').meta({ about: 'Empty, unless the SMSC asks for one.' }),
  bindAs: yup
    .string()
    .oneOf(['transceiver', 'transmitter-and-receiver'] as const)
    .default('transceiver')
    .meta({
      about:
        '`transceiver`: one session for both ways. `transmitter-and-receiver`: two, where the SMSC wants it so.',
    }),
  bindCount: whole(1, 20).default(1).meta({
    about: 'Sessions of the account, or of each kind where there are two, in all processes together.',
  }),
  windowSize: whole(1, 1000)
    .default(10)
    .meta({ about: 'Messages that one session may have sent without an answer yet.' }),
  sourceTon: whole(0, 6)
    .default(1)
    .meta({ about: 'Type of number of our lines: 1 international, 0 unknown.' }),
  sourceNpi: whole(0, 18)
    .default(1)
    .meta({ about: 'Numbering plan of our lines: 1 ISDN (E.164), 0 unknown.' }),
  destTon: whole(0, 6).default(1).meta({ about: 'Type of number of those we send to.' }),
  destNpi: whole(0, 18).default(1).meta({ about: 'Numbering plan of those we send to.' }),
  plusSign: yup.boolean().default(false).meta({ about: 'Whether numbers are sent with a leading +.' }),
  longMessages: yup
    .string()
    .oneOf(['udh', 'payload'] as const)
    .default('udh')
    .meta({
      about: 'Long texts: `udh` cuts them here, `payload` lets the SMSC do it (message_payload).',
    }),
  defaultAlphabet: yup
    .string()
    .oneOf(['gsm-7', 'latin-1'] as const)
    .default('gsm-7')
    .meta({ about: 'What the SMSC takes data_coding 0 for: `gsm-7` or `latin-1`.' }),
  receiptIds: yup
    .string()
    .oneOf(['as-sent', 'hex-to-decimal', 'decimal-to-hex'] as const)
    .default('as-sent')
    .meta({
      about:
        'How receipts write the id that the SMSC gave: `as-sent`, or `hex-to-decimal`, or `decimal-to-hex`.',
    }),
  enquireLinkSeconds: whole(1, 3600)
    .default(30)
    .meta({ about: 'How often to ask whether the SMSC is still there.' }),
})

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
    .matches(/^[\x20-\x7e]*$/, '${path} must be of ASCII characters')
}
