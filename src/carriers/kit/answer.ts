import sjson from 'secure-json-parse'
import { parseExactly } from '../../kit/text/exact-json.js'
import type { SafeResponse } from '../../safe-fetch.js'

/** What a provider answered, read. */
export interface Answer {
  status: number
  /** The names are in lower case. */
  headers: Readonly<Record<string, string>>
  /** Its JSON, with ids as they were written; undefined where it is none, or was cut off. */
  body: unknown
  text: string
}

export function readAnswer({ status, headers, body, truncated }: SafeResponse): Answer {
  const text = body.toString()
  return { status, headers, text, body: truncated ? undefined : readJson(text) }
}

/** JSON with integers as they were written (`exact-json.ts`); undefined where it is none. */
export function readJson(text: string): unknown {
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
