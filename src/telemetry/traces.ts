import type { Config } from '../config.js'
import type { Logger } from './log.js'
import type { Span, Tracer } from './span.js'

export { ROOT } from './span.js'

let tracer: Tracer | undefined

/** Called at the start of a process: if a collector is set, spans go there from now on. */
export async function openTraces(
  name: string,
  config: Pick<Config, 'traces' | 'version'>,
  log: Logger,
): Promise<void> {
  const { traces, version } = config
  if (traces === undefined || tracer !== undefined) return
  // It is loaded here because it needs memory and time that processes without a collector should not pay for.
  const { createTracer } = await import('./opentelemetry.js')
  tracer = createTracer({ process: name, version, ...traces }, log)
}

/** Sends the spans that have not been sent yet, for some seconds. */
export async function closeTraces(): Promise<void> {
  const closing = tracer
  tracer = undefined
  await closing?.close()
}

/** Adds a span of something that has just ended. Without a collector it does nothing. */
export function addSpan(span: Span): void {
  tracer?.add(span)
}

/** The W3C Trace Context header, if there is a trace. */
export function traceHeaders(of: string, key: string): Record<string, string> {
  const traceparent = tracer?.parentOf(of, key)
  return traceparent === undefined ? {} : { traceparent }
}
