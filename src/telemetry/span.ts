/**
 * What became of a message or an event, for a collector of OpenTelemetry. The id of the message (of what is received:
 * of its event, the `webhook-id`) is the id of the trace. So every process adds its part without being told of the
 * others, and a job that the sweep made anew is in the same trace.
 */
export interface Span {
  /** The UUID that the trace is named after. */
  of: string
  /** Names the span in its trace. The one that all others hang on is ROOT. */
  key: string
  name: string
  kind: 'server' | 'internal' | 'client'
  startedAt: Date
  durationMs: number
  /** Ids, states and figures; never a text, a number of a person or a URL. */
  attributes: Readonly<Record<string, string | number | undefined>>
  /** What went wrong, by its name. */
  fault?: string | undefined
}

export const ROOT = 'root'

/** What sends spans away. */
export interface Tracer {
  add(span: Span): void
  /**
   * Lets the receiver of the request that this span is go on with the trace; undefined when the trace is not sampled.
   */
  parentOf(of: string, key: string): string | undefined
  close(): Promise<void>
}
