/** The most values from outside that a label gets in one process. */
const MAX_VALUES = 200

/** A code is a short word or a short number. More digits in a row may be a phone number. */
const CODE = /^(?!.*\d{7})[\w.:-]{1,32}$|^0x[\da-f]{1,8}$/i

const known = new Map<string, Set<string>>()

/**
 * Bounds the value of a label that others chose: a value that is not a code, or is one code too many, becomes
 * `other`.
 */
export function boundedLabel(label: string, value: string): string {
  const values = known.get(label) ?? new Set<string>()
  known.set(label, values)
  if (!values.has(value)) {
    if (!CODE.test(value) || values.size >= MAX_VALUES) return 'other'
    values.add(value)
  }
  return value
}
