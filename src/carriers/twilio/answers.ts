import { parseExactly } from '../../kit/text/exact-json.js'
import type { SafeResponse } from '../../safe-fetch.js'

/** Returns an answer's JSON object; undefined for anything else. */
export function readObject({ body, truncated }: SafeResponse): Record<string, unknown> | undefined {
  if (truncated) return undefined
  try {
    const value = parseExactly(body.toString())
    return isRecord(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Returns the records of a list's page. */
export function readRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** Returns the time when Twilio made a record. It is NaN if missing, which is neither before nor after anything. */
export function createdAtOf(record: Record<string, unknown>): number {
  return Date.parse(textOf(record.date_created))
}

/** Returns a record's field; '' if it has none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
