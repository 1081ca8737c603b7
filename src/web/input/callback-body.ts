import type { Context as KoaContext } from 'koa'
import sjson from 'secure-json-parse'
import { parseExactly } from '../../kit/text/exact-json.js'
import { readXml } from '../../kit/text/xml.js'
import { bodyBound, readBodyBytes } from '../middleware/body-bytes.js'
import { isTooDeep } from '../middleware/json-body.js'
import { parseFormFields, type FormFields } from './form-fields.js'

const refusalsBeyond = (size: string) => ({
  tooLarge: `The request body is too large: ${size} at most`,
  unreadable: 'The request body could not be read',
})

/** A hundred long texts, each with the carrier's other fields, take about 400 KiB. */
const BOUND_OF_MANY = bodyBound(512 * 1024)
/** Networks take an MMS of 3 MB at most, which base64 makes a third larger. */
const BOUND_OF_MEDIA = bodyBound(4 * 1024 * 1024)

export interface CallbackBody {
  /** The original bytes. */
  body: Buffer
  /** The content; undefined if it begins as JSON or XML and is not valid. */
  content: unknown
}

/**
 * Reads a carrier's request: JSON, XML or a form, whatever its Content-Type says. The carrier would not repeat a
 * refused request, so a body that is not understood is not refused here: the signature is checked first. A text with
 * U+FFFD in it is better than none, and ids may have more digits than a number holds.
 *
 * @throws UserError 413, 415, 400 for a body that cannot be unpacked
 */
export async function readCallbackBody(
  ctx: KoaContext,
  { bringsMany = false, bringsMedia = false }: { bringsMany?: boolean; bringsMedia?: boolean } = {},
): Promise<CallbackBody> {
  const body = await (bringsMedia
    ? readBodyBytes(ctx, refusalsBeyond('4 MiB'), BOUND_OF_MEDIA)
    : bringsMany
      ? readBodyBytes(ctx, refusalsBeyond('512 KiB'), BOUND_OF_MANY)
      : readBodyBytes(ctx, refusalsBeyond('64 KiB')))
  // Some programs begin with a byte order mark.
  const text = body.toString().replace(/^\uFEFF/, '')
  if (/^\s*[{[]/.test(text)) return { body, content: readJson(text) }
  if (/^\s*</.test(text)) return { body, content: readXml(text) }
  return { body, content: parseFormFields(body, decode) }
}

/** Reads the query of a GET like a form's fields. */
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
