import * as yup from 'yup'
import { UserError } from '../../errors.js'
import { MAX_OVERLAP_SECONDS } from '../../domain/overlap.js'
import { OPT_IN_EVENT_TYPES } from '../../event-types.js'
import { MAX_TOLD } from './unknown-fields.js'

/** @param refusal the error for anything but text */
export function textField(refusal = '${path} must be text') {
  return yup.string().strict().typeError(refusal)
}

/** @param refusal the error for anything but a whole number from `min` to `max` */
export function wholeNumberField(min: number, max: number, refusal: string) {
  return yup.number().strict().typeError(refusal).integer(refusal).min(min, refusal).max(max, refusal)
}

/**
 * A list of texts that are not empty. Its length is judged before its elements, and these in one test: a body of 64 KiB
 * has room for 30,000, and for each that is wrong yup would make an error, which takes seconds.
 *
 * @param what the name of the elements, such as "URLs"
 * @param of.words the texts that are allowed; the default is any
 */
export function listField<const Word extends string = string>(
  name: string,
  what: string,
  { max, words }: { max: number; words?: readonly Word[] },
) {
  const refusal = `${name} must be a list of ${what}`
  const known: ReadonlySet<unknown> | undefined = words && new Set(words)
  const isElement = (each: unknown) => typeof each === 'string' && each !== '' && known?.has(each) !== false
  return yup
    .array<yup.AnyObject, Word>()
    .strict()
    .typeError(refusal)
    .max(max, `${name} must have at most ${max} ${what}`)
    .test('elements', refusal, (list) => list === undefined || list.length > max || list.every(isElement))
    .meta({
      schema: {
        type: 'array',
        items: { type: 'string', ...(words === undefined ? {} : { enum: words }) },
        maxItems: max,
      },
    })
}

/**
 * A list whose elements have a schema of their own. One that is too long counts as no list, so that its elements are
 * not judged.
 *
 * @param refusal the error for a list that is too long, and for anything but a list
 */
export function shortListOf<Element>(
  schema: yup.ISchema<Element, yup.AnyObject>,
  max: number,
  refusal: string,
) {
  return yup
    .array()
    .transform((given: unknown) => (Array.isArray(given) && given.length > max ? given.length : given))
    .typeError(refusal)
    .of(schema)
    .max(max, refusal)
}

/** The opt-in types of an endpoint. The domain decides which it may name; the description lists what it accepts. */
export function optInEventsField(types: readonly string[]) {
  const max = OPT_IN_EVENT_TYPES.length
  return listField('optInEvents', 'event types', { max }).meta({
    schema: { type: 'array', items: { type: 'string', enum: types }, maxItems: max },
    about: 'The events it gets in addition to received messages.',
  })
}

/** How long a replaced secret or token remains valid. The domain decides whether it may. */
export function overlapField(defaultSeconds: number, about: string) {
  return yup
    .number()
    .strict()
    .typeError('${path} must be a whole number of seconds')
    .meta({
      schema: { type: 'integer', minimum: 0, maximum: MAX_OVERLAP_SECONDS, default: defaultSeconds },
      about,
    })
}

/**
 * Reads data from outside by a schema. Fields that it does not know are removed before yup sees them, because yup looks
 * each name up in a plain object, which seems to have a field `toString`.
 *
 * @throws UserError naming the invalid fields, but no more of them than people would read
 */
export async function readBodyFields<T extends yup.Maybe<yup.AnyObject>>(
  schema: yup.ObjectSchema<T>,
  fields: unknown,
): Promise<T> {
  try {
    return (await schema.validate(pickKnown(schema, fields), { abortEarly: false })) as T
  } catch (error) {
    if (error instanceof yup.ValidationError) throw new UserError(error.errors.slice(0, MAX_TOLD).join('; '))
    throw error
  }
}

function pickKnown(schema: yup.AnyObjectSchema, fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null) return fields
  const known = Object.entries(fields).filter(([name]) => Object.hasOwn(schema.fields, name))
  return Object.fromEntries(known)
}
