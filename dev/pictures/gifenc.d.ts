/** The part of the package that is used, because it has no types. */
declare module 'gifenc' {
  type Palette = number[][]
  interface Encoder {
    writeFrame(
      indexes: Uint8Array,
      width: number,
      height: number,
      options: {
        palette: Palette
        delay: number
        repeat: number
        dispose: number
        transparent?: boolean
        transparentIndex?: number
      },
    ): void
    finish(): void
    bytes(): Uint8Array
  }
  const gifenc: {
    GIFEncoder(): Encoder
    quantize(rgba: Uint8Array, maxColors: number): Palette
    applyPalette(rgba: Uint8Array, palette: Palette): Uint8Array
  }
  export default gifenc
}
