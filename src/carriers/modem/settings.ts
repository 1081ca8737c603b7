import * as yup from 'yup'

/** The settings of an account that stands for a modem with one SIM card. */
export const modemSettings = yup.object({
  device: yup
    .string()
    .trim()
    .required()
    .matches(
      /^(\/\S+|tcp:(\[[\da-f:.]+\]|[^\s:/]+):\d{1,5})$/i,
      'device must be a path such as /dev/serial/by-id/usb-…, or tcp:host:port',
    )
    .max(500)
    .meta({
      about:
        'The serial port of the modem, such as `/dev/serial/by-id/usb-…-if00-port0`, or `tcp:host:port` for one on the network.',
    }),
  number: yup
    .string()
    .trim()
    .required()
    .matches(/^\+[1-9]\d{6,14}$/, 'number must be in E.164 form, such as +15551234567')
    .meta({ about: 'The phone number of the SIM card, such as +15551234567.' }),
  pin: yup
    .string()
    .trim()
    .default('')
    .matches(/^(\d{4,8})?$/, 'pin must have 4 to 8 digits')
    .meta({
      about: 'The PIN of the SIM card, if it has one. A PIN that the card refuses is not tried again.',
      secret: true,
    }),
  baudRate: yup
    .number()
    .typeError('baudRate must be a whole number')
    .integer('baudRate must be a whole number')
    .min(300, 'baudRate must be at least 300')
    .max(4_000_000, 'baudRate must be at most 4000000')
    .default(115_200)
    .meta({ about: 'The speed of the serial port. USB modems accept any.' }),
  smsc: yup
    .string()
    .trim()
    .default('')
    .matches(/^(\+[1-9]\d{6,14})?$/, 'smsc must be in E.164 form, such as +15551234567')
    .meta({ about: "The number of the operator's SMS centre. Leave empty to use the one on the SIM card." }),
  statusReports: yup
    .boolean()
    .default(true)
    .meta({ about: 'Whether to ask for a report when a text was delivered. Some operators charge for it.' }),
})

export type ModemSettings = yup.InferType<typeof modemSettings>
