/** A line that a modem writes, by itself or as a part of an answer. */
export type Line =
  /** Something new is in this memory. */
  | { kind: 'stored'; memory: string }
  /** The next line is a PDU of this length, which is stored nowhere. */
  | { kind: 'before_pdu'; length: number }
  /** It concerns a call, and belongs to no answer. */
  | { kind: 'call' }
  /** It ends an answer. `code` is that of an error, such as `CMS-38`, or `ERROR` if the modem gives none. */
  | { kind: 'result'; isOk: boolean; code: string }
  /** If an answer is under way, it is part of that answer. */
  | { kind: 'other' }

/** The ends of answers; each manufacturer adds some of its own. */
const RESULT =
  /^(?:(OK)|(ERROR)|\+(CM[ES]) ERROR:(.*)|COMMAND NOT SUPPORT.*|NOT SUPPORT.*|TOO MANY PARAMETERS)$/
/** A modem writes these when somebody calls its number and hangs up, even in the middle of an answer. */
const OF_CALLS = /^(?:RING|NO CARRIER|\+CRING:.*|\+CLIP:.*)$/

export function readLine(line: string): Line {
  const [, memory] = /^\+(?:CMTI|CDSI): *"(\w+)"/.exec(line) ?? []
  if (memory !== undefined) return { kind: 'stored', memory }
  const [, length] = /^\+(?:CMT|CDS):(?:.*,)? *(\d+)$/.exec(line) ?? []
  if (length !== undefined) return { kind: 'before_pdu', length: Number(length) }
  if (OF_CALLS.test(line)) return { kind: 'call' }
  const [result, ok, , service, code = ''] = RESULT.exec(line) ?? []
  if (result === undefined) return { kind: 'other' }
  if (ok !== undefined) return { kind: 'result', isOk: true, code: '' }
  return { kind: 'result', isOk: false, code: service === undefined ? 'ERROR' : `${service}-${code.trim()}` }
}

export function isHex(line: string): boolean {
  return /^([\dA-F]{2})+$/i.test(line)
}
