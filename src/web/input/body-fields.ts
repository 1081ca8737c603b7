import * as yup from 'yup'
import { UserError } from '../../errors.js'

const OPT_IN_EVENTS = 'optInEvents must be a list of types of events'

/** Of an endpoint; which types it may name is the domain's to say. */
export const optInEventsField = yup
  .array()
  .strict()
  .typeError(OPT_IN_EVENTS)
  .of(yup.string().strict().typeError(OPT_IN_EVENTS).required(OPT_IN_EVENTS))

/**
 * What came from outside, as a schema has it; fields that it does not know are left out, and before yup sees them: it
 * looks each name up in a plain object, which seems to have a field `toString`.
 *
 * @throws UserError naming every field that is wrong
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
