import type { ReceivedRequest } from '../services/receiver.js'

/** As OTLP/JSON has it (https://opentelemetry.io/docs/specs/otlp/), of what the tests look at. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code?: number; message?: string }
  process: string
  attributes: Record<string, unknown>
}

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number }
}

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes' | 'process'> & { attributes: Attribute[] })[] }[]
  }[]
}

/** What a collector has got. */
export function spansOf(requests: readonly ReceivedRequest[]): ReceivedSpan[] {
  return requests
    .flatMap(({ body }) => (JSON.parse(body) as Export).resourceSpans)
    .flatMap(({ resource, scopeSpans }) =>
      scopeSpans
        .flatMap(({ spans }) => spans)
        .map((span) => ({
          ...span,
          attributes: read(span.attributes),
          process: String(read(resource.attributes)['linehook.process']),
        })),
    )
}

function read(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue } }) => [key, stringValue ?? intValue]),
  )
}
