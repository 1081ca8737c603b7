/**
 * Given to a process by NODE_OPTIONS=--import: its clock on the wall is wrong by CHAOS_CLOCK_OFFSET_MS. Timers and
 * performance.now() go on as they are, as they do when a machine's time of day is wrong.
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
