const SPAN_MS = 60_000
const MAX_INBOUND = 10

/** How long a line and a number rest that have answered each other without end. */
export const PAUSE_MS = 600_000

/** When a number wrote to a line, and the line to the number. */
export interface Traffic {
  inboundAt: readonly Date[]
  outboundAt: readonly Date[]
}

/**
 * Whether two programs seem to answer each other: more than 10 messages in a minute, and as many answers. Every inbound
 * message opens the number's window again, so nothing else would end it. A person who writes a lot gets fewer answers.
 */
export function isPingPong({ inboundAt, outboundAt }: Traffic, now: Date): boolean {
  const recent = (times: readonly Date[]) =>
    times.filter((at) => at.getTime() > now.getTime() - SPAN_MS).length
  return recent(inboundAt) > MAX_INBOUND && recent(outboundAt) >= MAX_INBOUND
}
