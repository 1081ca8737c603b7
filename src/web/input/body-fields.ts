import * as yup from 'yup'
import { UserError } from '../../errors.js'

/** @param refusal the error for anything but text */
export function textField(refusal = '${path} must be text') {
  return yup.string().strict().typeError(refusal)
}

/** @param refusal the error for anything but a list of texts, or of some of `words` if they are given */
export function listField<const Word extends string = string>(refusal: string, words?: readonly Word[]) {
  const one = textField(refusal).required(refusal)
  return yup
    .array()
    .strict()
    .typeError(refusal)
    .of((words === undefined ? one : one.oneOf(words, refusal)) as yup.StringSchema<Word>)
}

/** The opt-in types of an endpoint. The domain decides which it may name; the description lists what it accepts. */
export function optInEventsField(types: readonly string[]) {
  return listField('optInEvents must be a list of event types').meta({
    schema: { type: 'array', items: { type: 'string', enum: types } },
    about: 'The events it gets in addition to received messages.',
  })
}

/**
 * Reads data from outside by a schema. Fields that it does not know are removed before yup sees them, because yup
 * looks each name up in a plain object, which seems to have a field `toString`.
 *
 * @throws UserError naming every invalid field
 */
export async function readBodyFields<T extends yup.Maybe<yup.AnyObject>>(
  schema: yup.ObjectSchema<T>,
  fields: unknown,
): Promise<T> {
  try {
    return (await schema.validate(pickKnown(schema, fields), { abortEarly: false })) as T
  } catch (error) {
    if (error instanceof yup.ValidationError) throw new UserError(error.errors.join('; '))
    throw error
  }
}

function pickKnown(schema: yup.AnyObjectSchema, fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null) return fields
  const known = Object.entries(fields).filter(([name]) => Object.hasOwn(schema.fields, name))
  return Object.fromEntries(known)
}
