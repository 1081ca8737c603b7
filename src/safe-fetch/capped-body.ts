/** Most answers fit into it, so it seldom grows; and a request that is kept waiting has no more than this. */
const FIRST_BYTES = 16 * 1_024

/**
 * Keeps the first `limit` bytes of a body in one growing buffer. Kept as the chunks in which they come, a body
 * sent byte by byte takes 113 bytes of memory for each of its bytes (measured with a chunked answer of 1 MB).
 */
export class CappedBody {
  readonly #limit: number
  #kept: Uint8Array<ArrayBuffer>
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#kept = new Uint8Array(Math.min(limit, FIRST_BYTES))
  }

  /** Adds what fits of a chunk; false if some of it did not, which ends the body. */
  add(chunk: Buffer): boolean {
    const fitting = chunk.subarray(0, this.#limit - this.#length)
    const length = this.#length + fitting.length
    if (length > this.#kept.length) {
      const grown = new Uint8Array(Math.min(Math.max(length, this.#kept.length * 2), this.#limit))
      grown.set(this.#kept)
      this.#kept = grown
    }
    this.#kept.set(fitting, this.#length)
    this.#length = length
    return fitting.length === chunk.length
  }

  get bytes(): Buffer {
    return Buffer.from(this.#kept.buffer, 0, this.#length)
  }
}
