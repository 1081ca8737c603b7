/**
 * A part of what happened to a message or an event, for an OpenTelemetry collector. The id of the message is the id of
 * the trace (for a received one, the id of its event, the `webhook-id`). So every process adds its part without
 * contacting the others, and a job that the sweep recreated is in the same trace.
 */
export interface Span {
  /** The UUID that the trace is named after. */
  of: string
  /** The span's name in its trace. The span that all others are children of is ROOT. */
  key: string
  name: string
  kind: 'server' | 'internal' | 'client'
  startedAt: Date
  durationMs: number
  /** Ids, states and figures; never a text, a person's number or a URL. */
  attributes: Readonly<Record<string, string | number | undefined>>
  /** The name of the failure, if it failed. */
  fault?: string | undefined
}

export const ROOT = 'root'

/** Sends spans to a collector. */
export interface Tracer {
  add(span: Span): void
  /**
   * The header that lets the receiver of this span's request continue the trace; undefined if the trace is not
   * sampled.
   */
  parentOf(of: string, key: string): string | undefined
  close(): Promise<void>
}
