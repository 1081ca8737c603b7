/** The most codes from outside that a metric gets in one process. */
const MAX_CODES = 200

/** A code is a short word or a short number. More digits in a row may be a phone number. */
const CODE = /^(?!.*\d{7})[\w.:-]{1,32}$|^0x[\da-f]{1,8}$/i

const known = new Set<string>()

/** Bounds the codes that carriers give: what is not a code, or is one code too many, becomes `other`. */
export function boundedCode(given: string): string {
  if (!known.has(given)) {
    if (!CODE.test(given) || known.size >= MAX_CODES) return 'other'
    known.add(given)
  }
  return given
}
