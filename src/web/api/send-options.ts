import sjson from 'secure-json-parse'
import * as yup from 'yup'
import {
  isClientRef,
  MAX_CARRIER_OPTION_LENGTH,
  MAX_CARRIER_OPTIONS,
  MAX_CLIENT_REF_LENGTH,
  MAX_SEND_AHEAD_DAYS,
  OPTION_REFUSALS,
  type SendOptions,
} from '../../domain/messages/send-options.js'
import { UserError } from '../../errors.js'
import { readBodyFields, textField } from '../input/body-fields.js'
import { momentParameter } from '../input/query.js'
import { isRecord } from '../middleware/json-body.js'
import { maybe, moment } from '../openapi/parts.js'

const givenClientRef = { type: 'string', minLength: 1, maxLength: MAX_CLIENT_REF_LENGTH }

/** The options of a message, for every operation and webhook that accepts messages; `later.ts` has the rules. */
export const optionFields = {
  sendAt: momentParameter().meta({
    schema: maybe(moment),
    about: `When to send it, ${MAX_SEND_AHEAD_DAYS} days ahead at most. A time in the past sends immediately.`,
  }),
  expiresAt: momentParameter().meta({
    schema: maybe(moment),
    about: 'If it has not been handed to the carrier by then, it fails as `expired`.',
  }),
  // Null and an empty text mean none.
  clientRef: textField().meta({
    schema: { anyOf: [givenClientRef, { type: 'null' }, { const: '' }] },
    about:
      'Your own reference. It is included in responses and `messageStatus` events, and messages can be searched by it.',
  }),
  carrierOptions: yup
    .mixed<Record<string, string>>((value): value is Record<string, string> => isTexts(value))
    .typeError(OPTION_REFUSALS.carrierOptionsWrong)
    .meta({
      schema: maybe({
        type: 'object',
        maxProperties: MAX_CARRIER_OPTIONS,
        propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9]{0,39}$' },
        additionalProperties: { type: 'string', maxLength: MAX_CARRIER_OPTION_LENGTH },
      }),
      about:
        'Extra parameters for the carrier. Names that the {line}\'s carrier account does not recognize are ignored. For example `{"templateId": "1007…"}` for DLT in India.',
    }),
}

function isTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((each) => typeof each === 'string')
}

const NAMES = Object.keys(optionFields)
const schema = yup.object(optionFields)

export function hasSendOptions(fields: Record<string, unknown>): boolean {
  return NAMES.some((name) => fields[name] !== undefined)
}

/** @throws UserError naming every invalid field */
export function readOptionFields(fields: Record<string, unknown>): Promise<SendOptions> {
  return readBodyFields(schema, givenFields(fields))
}

/**
 * Programs send null for missing values. An empty time is refused: if it is empty by mistake, the message must not go
 * out immediately.
 */
export function givenFields(fields: Record<string, unknown>): Record<string, unknown> {
  const isGiven = ([name, value]: [string, unknown]) =>
    value !== null && !(name === 'clientRef' && value === '')
  return Object.fromEntries(Object.entries(fields).filter(isGiven))
}

const OPTIONS_IN_FORM =
  'In a form, carrierOptions must be one field with a JSON object, such as {"templateId": "1007"}'

/**
 * Reads the options that a form has as JSON text, which is how OpenAPI 3.1 writes an object in a form.
 *
 * @throws UserError 400 also for other ways of writing them, such as `carrierOptions[templateId]`, which would otherwise
 *   be ignored like any unknown field of a form
 */
export function optionsOfForm(fields: Record<string, unknown>): Record<string, unknown> {
  if (Object.keys(fields).some((name) => /^carrierOptions[.[]/.test(name))) {
    throw new UserError(OPTIONS_IN_FORM)
  }
  const { carrierOptions } = fields
  if (typeof carrierOptions !== 'string') return fields
  try {
    return { ...fields, carrierOptions: sjson.parse(carrierOptions) as unknown }
  } catch (error) {
    if (error instanceof SyntaxError) throw new UserError(OPTIONS_IN_FORM)
    throw error
  }
}

/** The parameter that limits a list to messages with this `clientRef`. */
export function clientRefParameter() {
  return yup
    .string()
    .test('length', OPTION_REFUSALS.clientRefTooLong, (value) => value === undefined || isClientRef(value))
    .meta({ schema: givenClientRef })
}
