import * as yup from 'yup'
import { isClientRef, OPTION_REFUSALS, type SendOptions } from '../../domain/messages/later.js'
import { readBodyFields } from '../input/body-fields.js'
import { momentParameter } from '../input/query.js'

/** What may be said of a message besides, at each door where messages come in; `later.ts` has the rules. */
export const optionFields = {
  sendAt: momentParameter(),
  expiresAt: momentParameter(),
  clientRef: yup.string().strict().typeError('clientRef must be text'),
}

const NAMES = Object.keys(optionFields)
const schema = yup.object(optionFields)

export function hasSendOptions(fields: Record<string, unknown>): boolean {
  return NAMES.some((name) => fields[name] !== undefined)
}

/** @throws UserError naming every field that is wrong */
export function readOptionFields(fields: Record<string, unknown>): Promise<SendOptions> {
  return readBodyFields(schema, givenSendOptions(fields))
}

/**
 * Programs send null for what they have not. An empty moment is refused: who left it empty by mistake does not want the message
 * to go out at once.
 */
export function givenSendOptions(fields: Record<string, unknown>): Record<string, unknown> {
  const isGiven = ([name, value]: [string, unknown]) =>
    !NAMES.includes(name) || (value !== null && !(name === 'clientRef' && value === ''))
  return Object.fromEntries(Object.entries(fields).filter(isGiven))
}

/** Only messages with this `clientRef`. */
export function clientRefParameter() {
  return yup
    .string()
    .test('length', OPTION_REFUSALS.clientRefTooLong, (value) => value === undefined || isClientRef(value))
}
