import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { storable } from '../../database/text.js'
import { asSender, isSender } from '../../domain/lines/senders.js'
import { parseE164, parseNumber, withoutInvisible } from '../../domain/messages/phone-number.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { missingDayOf, parseMoment, withinSpan } from '../../kit/text/moments.js'
import { moment, uuid } from '../../shape.js'
import type { Vocabulary } from '../../vocabulary.js'
import { readBodyFields } from './body-fields.js'
import { parseFormFields, type FormFields } from './form-fields.js'
import { utf8Of } from './utf8.js'

/**
 * Reads the query of a request, in canonical words. A parameter without a value counts as not given, because forms
 * send all of theirs.
 *
 * @throws UserError naming every invalid parameter, or the one that is repeated
 */
export async function readQuery<T extends yup.AnyObject>(
  ctx: KoaContext,
  schema: yup.ObjectSchema<T>,
  vocabulary: Vocabulary,
): Promise<T> {
  const given = Object.entries(queryFields(ctx)).filter(([, value]) => value !== '')
  const fields = vocabulary.canonicalFields(Object.fromEntries(given))
  for (const [name, value] of Object.entries(fields)) {
    if (!Array.isArray(value) || !Object.hasOwn(schema.fields, name)) continue
    throw new UserError(`${name === 'lineId' ? vocabulary.idField : name} can be given only once`)
  }
  return readBodyFields(schema, fields)
}

/**
 * Reads parameters unchanged.
 *
 * @throws UserError 400
 */
export function queryFields(ctx: KoaContext): FormFields {
  return parseFormFields(Buffer.from(ctx.querystring, 'latin1'), utf8Of('The query'))
}

/** An id, in the one spelling that it has in the database and in the code. */
export function idParameter() {
  const form = '${path} must be an ID (a UUID)'
  return yup
    .mixed({ type: 'string', check: (value): value is string => typeof value === 'string' })
    .transform((_, written: unknown) => (typeof written === 'string' ? written.toLowerCase() : written))
    .typeError(form)
    .test('id', form, (value) => value === undefined || isId(value))
    .meta({ schema: uuid.schema })
}

export function wordParameter<const T extends string>(words: readonly T[]) {
  const known = `\${path} must be one of ${words.join(', ')}`
  return yup.string().strict().typeError(known).oneOf(words, known)
}

export function countParameter(max: number) {
  const range = `\${path} must be a whole number from 1 to ${max}`
  return yup
    .number()
    .transform((_, written: unknown) =>
      typeof written === 'string' && /^\d{1,9}$/.test(written) ? Number(written) : NaN,
    )
    .typeError(range)
    .min(1, range)
    .max(max, range)
    .meta({ schema: { type: 'integer', minimum: 1, maximum: max } })
}

const MAX_LOOKED_FOR = 100

/** A phone number as people write it, which is converted to E.164. */
export function numberParameter() {
  const form = '${path} must be a phone number in E.164 format, such as +15551234567'
  return readAs(form, (written) => parseNumber(withPlus(written), null)?.number ?? '')
}

/** @param read returns '' for what does not have the form */
function readAs(form: string, read: (written: string) => string) {
  return yup
    .string()
    .transform(read)
    .test('number', form, (value) => value !== '')
}

/** A line's sender as people write it, which is converted to its stored form. */
export function senderParameter() {
  const form = '${path} must be a phone number in E.164 format, such as +15551234567, a short code or a name'
  return readAs(form, (written) => {
    const sender = asSender(withPlus(written))
    return isSender(sender) ? storable(sender) : ''
  })
}

/** The other party of a message: its whole number, or what it is called instead; or some digits of its number. */
export interface Party {
  number?: string | undefined
  numberPart?: string | undefined
}

/**
 * A whole phone number with its plus sign, which is converted to E.164; a short code or a name in quotes; or some
 * digits of a number, which stay as they are. `readParty` distinguishes them.
 */
export function numberOrPartParameter() {
  const form =
    '${path} must be a phone number such as +15551234567, at least 3 digits of one, or a short code or name in quotes'
  return readAs(form, (written) => {
    const given = withPlus(written)
    if (QUOTED.test(given)) return storable(given)
    const number = withoutInvisible(given)
    if (number.startsWith('+')) return parseE164(number)?.number ?? ''
    const digits = number.replace(/[\s().-]/g, '')
    return /^\d{3,15}$/.test(digits) ? digits : ''
  })
}

const QUOTED = /^"[^"]{1,100}"$/

/** Quotes what is not a whole number, so that it is not mistaken for some digits of one. */
export function writeParty(number: string): string {
  return number.startsWith('+') ? number : `"${number}"`
}

export function readParty(written: string | undefined): Party {
  if (written === undefined) return {}
  if (QUOTED.test(written)) return { number: written.slice(1, -1) }
  return written.startsWith('+') ? { number: written } : { numberPart: written }
}

/** Words to find in a text, as they were typed. */
export function textParameter() {
  const length = `\${path} must have at most ${MAX_LOOKED_FOR} characters`
  return yup
    .string()
    .transform((written: string) => storable(written).trim())
    .max(MAX_LOOKED_FOR, length)
}

/** A time with its offset from UTC. */
export function momentParameter() {
  return yup
    .mixed({ type: 'date', check: isMoment })
    .transform((_, written: unknown) => readMoment(written))
    .typeError(refuseMoment)
    .meta({ schema: moment.schema })
}

/** True or false, or their names, which is how forms and queries write them. */
export function flagParameter() {
  return yup
    .mixed({ type: 'boolean', check: (value): value is boolean => typeof value === 'boolean' })
    .transform((_, written: unknown) =>
      typeof written === 'string' ? (FLAGS.get(written.toLowerCase()) ?? written) : written,
    )
    .typeError('${path} must be true or false')
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** A plus sign in a query means a space to most parsers, and people forget to write %2B. */
function withPlus(written: string): string {
  return written.replace(/^ | (?=\d\d:\d\d$)/, '+')
}

function isMoment(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime())
}

/** Ids begin in 1970, so an earlier time counts as the first one of 1970. */
function readMoment(written: unknown): Date {
  return new Date(typeof written === 'string' ? withinSpan(parseMoment(withPlus(written))) : NaN)
}

function refuseMoment({ path, originalValue }: { path: string; originalValue?: unknown }): string {
  return `${path} must be a time such as 2026-11-21T13:00:00Z${missingDayOf(originalValue)}`
}
