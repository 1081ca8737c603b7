/**
 * A process that loads this file (NODE_OPTIONS=--import) has a time of day that is wrong by CHAOS_CLOCK_OFFSET_MS. Its timers
 * and performance.now() stay right, as they do on a machine with a wrong time of day.
 */
const offsetMs = Number(process.env.CHAOS_CLOCK_OFFSET_MS ?? 0)
const RealDate = globalThis.Date

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + offsetMs)
    else super(...parts)
  }

  static now() {
    return RealDate.now() + offsetMs
  }
}
