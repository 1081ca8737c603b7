/** GSM-7 as it is sent over the air: septets without gaps between them (3GPP TS 23.038 §6.1.2.1). */

/** The text begins at a whole septet after a header of so many octets (3GPP TS 23.040 §9.2.3.24). */
export function fillBitsAfter(headerOctets: number): number {
  return (7 - ((headerOctets * 8) % 7)) % 7
}

/** @param septets one in each octet */
export function pack(septets: Buffer, fillBits: number): Buffer {
  const packed = Buffer.alloc(Math.ceil((fillBits + septets.length * 7) / 8))
  septets.forEach((septet, n) => {
    const bit = fillBits + n * 7
    const at = bit >> 3
    const shifted = septet << (bit & 7)
    packed[at] = (packed[at] ?? 0) | (shifted & 0xff)
    if (shifted > 0xff) packed[at + 1] = (packed[at + 1] ?? 0) | (shifted >> 8)
  })
  return packed
}

/** Returns that many septets, or as many as there are. */
export function unpack(packed: Buffer, count: number, fillBits: number): Buffer {
  const present = Math.max(0, Math.min(count, Math.floor((packed.length * 8 - fillBits) / 7)))
  return Buffer.from(
    Array.from({ length: present }, (_, n) => {
      const bit = fillBits + n * 7
      const at = bit >> 3
      return ((((packed[at + 1] ?? 0) << 8) | (packed[at] ?? 0)) >> (bit & 7)) & 0x7f
    }),
  )
}
