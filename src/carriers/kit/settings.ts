import * as yup from 'yup'
import { newToken } from '../../secrets.js'

/** Makes the settings of accounts. Each sentence says where in the provider's dashboard a person finds the value. */

const MAX_LENGTH = 500

/** A required text. */
export function needed(about: string): yup.StringSchema<string> {
  return text().required().meta({ about })
}

/** A required text that is never shown again. */
export function secret(about: string): yup.StringSchema<string> {
  return text().required().meta({ about, secret: true })
}

export function optional(about: string, standard = '') {
  return text().default(standard).meta({ about })
}

export function optionalSecret(about: string) {
  return text().default('').meta({ about, secret: true })
}

export function choice<Word extends string>(words: readonly [Word, ...Word[]], about: string) {
  const [first] = words
  return yup
    .string<Word>()
    .oneOf([...words])
    .default(() => first)
    .meta({ about })
}

/** The URL of the provider's API. Another one is for its regions, and for tests. */
export function apiUrl(standard: string) {
  return yup
    .string()
    .trim()
    .default(standard)
    .test(
      'url',
      `apiUrl must be a full URL, such as ${standard}`,
      (url) => /^https?:\/\//i.test(url) && URL.canParse(url),
    )
    .meta({ about: 'The URL of the API. Change it only for another region or for tests.' })
}

/**
 * The secret in our callback URLs, for a provider that signs nothing. It is generated if an account is added without
 * one.
 */
export function callbackKey() {
  return text()
    .matches(/^[\w-]{20,}$/, 'callbackKey must have at least 20 letters and digits')
    .default(() => newToken())
    .meta({
      about: 'The secret in the callback URLs. Leave empty to generate one.',
      secret: true,
    })
}

function text() {
  return yup
    .string()
    .trim()
    .max(MAX_LENGTH, ({ path }: { path: string }) => `${path} must have at most ${MAX_LENGTH} characters`)
    .test(
      'visible',
      ({ path }: { path: string }) => `${path} has an invisible character in it. Type it, or copy it again`,
      (value) => value === undefined || !/\p{C}/u.test(value),
    )
}
