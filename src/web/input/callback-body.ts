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

/**
 * The longest form or XML that is parsed. Those with pictures or a hundred texts are JSON, and a form of 4 MiB may have
 * two million fields, which would keep the process busy for seconds.
 */
const MAX_FORM_BYTES = 64 * 1024

/**
 * Reads the body of a carrier's request.
 *
 * @throws UserError 413, 415, 400 for a body that cannot be unpacked
 */
export function readCallbackBody(
  ctx: KoaContext,
  { bringsMany = false, bringsMedia = false }: { bringsMany?: boolean; bringsMedia?: boolean } = {},
): Promise<Buffer> {
  if (bringsMedia) return readBodyBytes(ctx, refusalsBeyond('4 MiB'), BOUND_OF_MEDIA)
  if (bringsMany) return readBodyBytes(ctx, refusalsBeyond('512 KiB'), BOUND_OF_MANY)
  return readBodyBytes(ctx, refusalsBeyond('64 KiB'))
}

/**
 * Parses the body as JSON, XML or a form, whatever its Content-Type says. The carrier would not repeat a refused
 * request, so a body that is not understood is not refused here: the signature is checked first. A text with U+FFFD in
 * it is better than none, and ids may have more digits than a number can hold.
 *
 * @returns undefined if it begins as JSON or XML and is not valid, or is a form or XML of more than 64 KiB
 */
export function parseCallbackBody(body: Buffer): unknown {
  // Some programs begin with a byte order mark.
  const text = body.toString().replace(/^\uFEFF/, '')
  if (/^\s*[{[]/.test(text)) return readJson(text)
  if (body.length > MAX_FORM_BYTES) return undefined
  return /^\s*</.test(text) ? readXml(text) : parseFormFields(body, decode)
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
