/**
 * Reads JSON whose integers are kept as they are written. One that a JavaScript number cannot hold exactly (beyond 2^53)
 * becomes the text of its digits, as if it had stood in quotes. Carriers number messages with 64 bits, and rounded two
 * of these ids are the same.
 *
 * `parse` reads the text as it came first, so the text is known to be JSON: it has digits in texts and in numbers and
 * nowhere else, and putting a number in quotes changes neither its depth nor its names. So whatever `parse` refuses
 * stays refused, and no reader of our own stands beside it. Libraries that keep such numbers read by functions that call
 * themselves, which 64 KiB of brackets bring to the end of the stack, and some set `__proto__`. The reviver of
 * `JSON.parse` is told how a number was written only from Node 21 on.
 *
 * @throws what `parse` throws, a SyntaxError
 */
export function parseExactly(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  const value = parse(text)
  return LONG.test(text) ? parse(quoteInexact(text)) : value
}

/** No integer of 15 digits is beyond 2^53. */
const LONG = /\d{16}/

/** The texts are matched so that what looks like a number in them is passed over. */
const TEXT_OR_NUMBER = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g

function quoteInexact(json: string): string {
  return json.replace(TEXT_OR_NUMBER, (token) => (isInexact(token) ? `"${token}"` : token))
}

/** Fractions and powers of ten are amounts, which are compared with nothing. */
function isInexact(token: string): boolean {
  return /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))
}
