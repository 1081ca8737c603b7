/** The most values that a label gets from outside, in a process. */
const MAX_VALUES = 200

/** A code: a short word, or a short number. What has more digits in a row may be a phone number. */
const CODE = /^(?!.*\d{7})[\w.:-]{1,32}$|^0x[\da-f]{1,8}$/i

const known = new Map<string, Set<string>>()

/** The value of a label that somebody else chose: what is no code, or one code too many, is `other`. */
export function boundedLabel(label: string, value: string): string {
  const values = known.get(label) ?? new Set<string>()
  known.set(label, values)
  if (!values.has(value)) {
    if (!CODE.test(value) || values.size >= MAX_VALUES) return 'other'
    values.add(value)
  }
  return value
}
