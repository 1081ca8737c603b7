import * as yup from 'yup'
import type { Wishes } from '../../domain/messages/later.js'
import { readBodyFields } from '../body-fields.js'
import { momentParameter } from '../query.js'

/** What may be said of a message besides, at each door where messages come in; `later.ts` has the rules. */
export const wishFields = {
  sendAt: momentParameter(),
  expiresAt: momentParameter(),
  clientRef: yup.string().strict().typeError('clientRef must be text'),
}

const NAMES = Object.keys(wishFields)
const schema = yup.object(wishFields)

export function hasWishes(fields: Record<string, unknown>): boolean {
  return NAMES.some((name) => fields[name] !== undefined)
}

/** @throws UserError naming every field that is wrong */
export function readWishFields(fields: Record<string, unknown>): Promise<Wishes> {
  return readBodyFields(schema, givenWishes(fields))
}

/** Forms send all of their fields, and programs send null for what they have not. */
export function givenWishes(fields: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(fields).filter(
    ([name, value]) => !NAMES.includes(name) || (value !== '' && value !== null),
  )
  return Object.fromEntries(given)
}
