/**
 * Reads JSON without changing its integers. One that a JavaScript number cannot hold exactly (beyond 2^53) becomes the
 * text of its digits, as if it had been in quotes. Carriers number messages with 64 bits, and two of these ids may
 * round to the same number.
 *
 * `parse` reads the original text first, so the text is known to be JSON: it has digits in texts and in numbers and
 * nowhere else, and putting a number in quotes changes neither its depth nor its names. So whatever `parse` refuses
 * stays refused, and we need no JSON parser of our own. Libraries that preserve such numbers parse recursively, so 64
 * KiB of brackets overflow their stack, and some set `__proto__`. The reviver of `JSON.parse` gets a number's source
 * text only from Node 21 on.
 *
 * @throws the SyntaxError that `parse` throws
 */
export function parseExactly(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  const value = parse(text)
  return LONG.test(text) ? parse(quoteInexact(text)) : value
}

/** No integer of 15 digits is beyond 2^53. */
const LONG = /\d{16}/

/** Integers of 15 digits are never beyond 2^53. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

function quoteInexact(json: string): string {
  return json.replace(TEXT_OR_NUMBER, (token) => (isInexact(token) ? `"${token}"` : token))
}

/** Texts are matched too, so that digits in them are skipped. */
function isInexact(token: string): boolean {
  return /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))
}
