import type { Context as KoaContext } from 'koa'
import sjson from 'secure-json-parse'
import { parseExactly } from '../../kit/text/exact-json.js'
import { readXml } from '../../kit/text/xml.js'
import { bodyBound, readBodyBytes } from '../middleware/body-bytes.js'
import { isTooDeep } from '../middleware/json-body.js'
import { parseFormFields, type FormFields } from './form-fields.js'

const REFUSALS = {
  tooLarge: 'The request body is too large: 64 KiB at most',
  unreadable: 'The request body could not be read',
}
const REFUSALS_OF_MANY = { ...REFUSALS, tooLarge: 'The request body is too large: 512 KiB at most' }

/** A hundred long texts, each with what else a carrier says of it, take some 400 KiB. */
const BOUND_OF_MANY = bodyBound(512 * 1024)

export interface CallbackBody {
  /** As it came. */
  body: Buffer
  /** What it says; undefined where it begins as JSON or XML and is none. */
  content: unknown
}

/**
 * What a carrier sends us: JSON, XML or a form, whichever it is and whatever its Content-Type says. It would not repeat what we
 * refuse, so a body that nobody understands is none of our refusals here: who signed it is looked at first. A text with
 * U+FFFD in it is better than none, and ids may have more digits than a number holds.
 *
 * @throws UserError 413, 415, 400 for what cannot be unpacked
 */
export async function readCallbackBody(ctx: KoaContext, bringsMany = false): Promise<CallbackBody> {
  const body = await (bringsMany
    ? readBodyBytes(ctx, REFUSALS_OF_MANY, BOUND_OF_MANY)
    : readBodyBytes(ctx, REFUSALS))
  // Some programs begin with a byte order mark.
  const text = body.toString().replace(/^\uFEFF/, '')
  if (/^\s*[{[]/.test(text)) return { body, content: readJson(text) }
  if (/^\s*</.test(text)) return { body, content: readXml(text) }
  return { body, content: parseFormFields(body, decode) }
}

/** The query of a GET as a form's fields. */
export function fieldsOf(query: URLSearchParams): FormFields {
  return parseFormFields(Buffer.from(query.toString()), decode)
}

function decode(bytes: Buffer): string {
  return bytes.toString()
}

function readJson(text: string): unknown {
  try {
    const value = parseExactly(text, (each) => sjson.parse(each) as unknown)
    return typeof value === 'object' && value !== null && isTooDeep(value) ? undefined : value
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
