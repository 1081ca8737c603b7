import sjson from 'secure-json-parse'
import { parseExactly } from '../../kit/text/exact-json.js'
import type { SafeResponse } from '../../safe-fetch.js'

/** A provider's answer after parsing. */
export interface Answer {
  status: number
  /** The names are in lower case. */
  headers: Readonly<Record<string, string>>
  /** The parsed JSON, with ids unchanged; undefined if it is not JSON or was cut off. */
  body: unknown
  text: string
}

export function readAnswer({ status, headers, body, truncated }: SafeResponse): Answer {
  const text = body.toString()
  return { status, headers, text, body: truncated ? undefined : readJson(text) }
}

/** Parses JSON without changing integers (`exact-json.ts`); undefined if it is not JSON. */
function readJson(text: string): unknown {
  try {
    return parseExactly(text, (each) => sjson.parse(each) as unknown)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}
