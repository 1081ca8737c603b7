/**
 * Reads one range of bytes, as media players request it (RFC 9110 §14.1.2). Several ranges, other units and invalid
 * ranges count as no range: the whole file is a proper answer to all of them.
 *
 * @returns the first and the last byte, both included
 */
export function readRange(header: string, byteCount: number): { first: number; last: number } | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? []
  if (from === '' && to === '') return undefined
  const first = from === '' ? Math.max(0, byteCount - Number(to)) : Number(from)
  const last = from === '' || to === '' ? byteCount - 1 : Math.min(Number(to), byteCount - 1)
  return first <= last ? { first, last } : undefined
}
