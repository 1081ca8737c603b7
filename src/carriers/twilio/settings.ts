import * as yup from 'yup'

/** What an account at Twilio is made of. */
export interface TwilioSettings {
  accountSid: string
  authToken: string
  /** An API key and its secret, with which requests to Twilio are made instead; '' for none. */
  apiKeySid: string
  apiKeySecret: string
  /** What callers of a line hear before the tone. */
  greeting: string
  apiUrl: string
}

export const twilioSettings: yup.ObjectSchema<TwilioSettings> = yup.object({
  accountSid: yup
    .string()
    .required('accountSid must be set: it is on the first page of the Twilio console')
    .matches(/^AC[0-9a-fA-F]{32}$/, 'accountSid must be AC and 32 hexadecimal digits')
    .meta({ about: 'The account SID, which the first page of the Twilio console shows.' }),
  authToken: yup
    .string()
    .required('authToken must be set: it is beside the account SID in the Twilio console')
    .max(200, 'authToken must have at most 200 characters')
    .meta({
      about:
        'The auth token beside it. Twilio signs its callbacks with it, and requests to Twilio need it where there is no API key.',
      secret: true,
    }),
  apiKeySid: yup
    .string()
    .trim()
    .default('')
    .matches(/^(SK[0-9a-fA-F]{32})?$/, 'apiKeySid must be SK and 32 hexadecimal digits')
    .meta({
      about:
        'An API key, with which requests to Twilio are made instead. Its callbacks need the auth token all the same.',
    }),
  apiKeySecret: yup
    .string()
    .default('')
    .max(200, 'apiKeySecret must have at most 200 characters')
    .when('apiKeySid', {
      is: (sid: string) => sid !== '',
      then: (secret) => secret.required('apiKeySecret must be set beside apiKeySid'),
    })
    .meta({ about: 'The secret of the API key, which Twilio shows once.', secret: true }),
  greeting: yup
    .string()
    .trim()
    .max(1000, 'greeting must have at most 1000 characters')
    .default('Please leave a message after the tone.')
    .meta({ about: 'What callers hear before the tone of the voicemail.' }),
  apiUrl: yup
    .string()
    .default('https://api.twilio.com')
    .test('url', 'apiUrl must be a whole URL, such as https://api.twilio.com', (url) => URL.canParse(url))
    .meta({ about: "Where Twilio's API is; another one only for tests and regional accounts." }),
})
