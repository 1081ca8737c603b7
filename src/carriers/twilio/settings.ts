import * as yup from 'yup'

export const twilioSettings = yup.object({
  accountSid: yup
    .string()
    .required('accountSid must be set. The first page of the Twilio console shows it')
    .matches(/^AC[0-9a-fA-F]{32}$/, 'accountSid must be AC followed by 32 hexadecimal digits')
    .meta({ about: 'The account SID, shown on the first page of the Twilio console.' }),
  authToken: yup
    .string()
    .required('authToken must be set. The Twilio console shows it next to the account SID')
    .max(200, 'authToken must have at most 200 characters')
    .meta({
      about:
        'The auth token, shown next to the account SID. Twilio signs callbacks with it. Without an API key, requests to Twilio use it too.',
      secret: true,
    }),
  apiKeySid: yup
    .string()
    .trim()
    .default('')
    .matches(/^(SK[0-9a-fA-F]{32})?$/, 'apiKeySid must be SK followed by 32 hexadecimal digits')
    .meta({
      about:
        'An API key for requests to Twilio, used instead of the auth token. Callbacks still need the auth token.',
    }),
  apiKeySecret: yup
    .string()
    .default('')
    .max(200, 'apiKeySecret must have at most 200 characters')
    .when('apiKeySid', {
      is: (sid: string) => sid !== '',
      then: (secret) => secret.required('apiKeySecret must be set together with apiKeySid'),
    })
    .meta({ about: 'The secret of the API key. Twilio shows it only once.', secret: true }),
  greeting: yup
    .string()
    .trim()
    .max(1000, 'greeting must have at most 1000 characters')
    .default('Please leave a message after the tone.')
    .meta({ about: 'The greeting callers hear before the voicemail tone.' }),
  apiUrl: yup
    .string()
    .default('https://api.twilio.com')
    .test('url', 'apiUrl must be a full URL, such as https://api.twilio.com', (url) => URL.canParse(url))
    .meta({ about: "The URL of Twilio's API. Change it only for tests and regional accounts." }),
})

export type TwilioSettings = yup.InferType<typeof twilioSettings>
