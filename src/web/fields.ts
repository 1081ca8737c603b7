import * as yup from 'yup'
import { UserError } from '../errors.js'

const OPT_IN_EVENTS = 'optInEvents must be a list of types of events'

/** Of an endpoint; which types it may name is the domain's to say. */
export const optInEventsField = yup
  .array()
  .strict()
  .typeError(OPT_IN_EVENTS)
  .of(yup.string().strict().typeError(OPT_IN_EVENTS).required(OPT_IN_EVENTS))

/**
 * What came from outside, as a schema has it; fields that it does not know are left out.
 *
 * @throws UserError naming every field that is wrong
 */
export async function readFields<T extends yup.Maybe<yup.AnyObject>>(
  schema: yup.ObjectSchema<T>,
  fields: unknown,
): Promise<T> {
  try {
    return (await schema.validate(fields, { abortEarly: false, stripUnknown: true })) as T
  } catch (error) {
    if (error instanceof yup.ValidationError) throw new UserError(error.errors.join('; '))
    throw error
  }
}
