const STOP = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'])
const START = new Set(['START', 'UNSTOP'])

/**
 * What a text says about being written to: true opts its sender out of the line, false back in, undefined is an
 * ordinary text. Only the whole body counts, in any case (reliability, Security: SMS).
 */
export function readOptOut(text: string): boolean | undefined {
  const word = text.trim().toUpperCase()
  if (STOP.has(word)) return true
  if (START.has(word)) return false
  return undefined
}
