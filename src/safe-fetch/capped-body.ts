/** Most answers fit into this, so it seldom grows; and a request that is kept waiting holds no more than this. */
const FIRST_BYTES = 16 * 1_024

/**
 * Keeps the first `limit` bytes of a body in one growing buffer. If the chunks were kept as they arrive, a body that is
 * sent byte by byte would take 113 bytes of memory for each of its bytes (measured with a chunked answer of 1 MB).
 */
export class CappedBody {
  readonly #limit: number
  #kept: Uint8Array<ArrayBuffer>
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#kept = new Uint8Array(Math.min(limit, FIRST_BYTES))
  }

  /**
   * Adds as much of a chunk as fits.
   *
   * @returns false if some of it did not fit, which ends the body
   */
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
