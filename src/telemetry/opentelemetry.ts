import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type IdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import { asError } from '../errors.js'
import type { Logger } from './log.js'
import { ROOT, type Span, type Tracer } from './span.js'

/**
 * A collector that hangs blocks one batch for this long. During that time, spans wait, and those beyond MAX_WAITING are
 * dropped.
 */
const EXPORT_MS = 2000
const MAX_WAITING = 4096
/** A process that stops has more important things to finish. */
const CLOSE_MS = 3000
/** A collector that is down for a day is not worth a line per batch. */
const COMPLAINT_EVERY_MS = 60_000

const KINDS = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL, client: SpanKind.CLIENT }

/** The only file that knows OpenTelemetry: spans go to a collector by OTLP over HTTP, as JSON, in batches. */
export function createTracer(
  settings: {
    process: string
    version: string
    /** The collector's URL without `/v1/traces`. */
    endpoint: string
    headers: Record<string, string>
    /** The share of traces that are sent, 0 to 1. All processes choose the same ones, by their ids. */
    share: number
  },
  log: Logger,
): Tracer {
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint}/v1/traces`,
    headers: settings.headers,
    timeoutMillis: EXPORT_MS,
  })
  const sampler = new TraceIdRatioBasedSampler(settings.share)
  const ids = new GivenIds()
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'linehook',
      'service.version': settings.version,
      'linehook.process': settings.process,
    }),
    sampler,
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor(complaining(exporter, log), {
        maxQueueSize: MAX_WAITING,
        exportTimeoutMillis: CLOSE_MS,
      }),
    ],
  })
  const tracer = provider.getTracer('linehook')

  const isSampled = (traceId: string) =>
    sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED

  return {
    add: ({ of, key, name, kind, startedAt, durationMs, attributes, fault }) => {
      const traceId = traceIdOf(of)
      if (!isSampled(traceId)) return
      const parent =
        key === ROOT
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, {
              ...{ traceId, spanId: spanIdOf(of, ROOT), isRemote: true },
              traceFlags: TraceFlags.SAMPLED,
            })
      ids.give(traceId, spanIdOf(of, key))
      const span = tracer.startSpan(name, { kind: KINDS[kind], startTime: startedAt, attributes }, parent)
      if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: fault })
      span.end(new Date(startedAt.getTime() + durationMs))
    },
    parentOf: (of, key) => {
      const traceId = traceIdOf(of)
      return isSampled(traceId) ? `00-${traceId}-${spanIdOf(of, key)}-01` : undefined
    },
    close: async () => {
      // A collector's refusals have been logged already.
      const closed = provider.shutdown().catch(() => undefined)
      await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })])
    },
  }
}

/** A span's ids are known before it begins, so that other processes can name it. */
class GivenIds implements IdGenerator {
  #traceId = ''
  #spanId = ''

  give(traceId: string, spanId: string): void {
    this.#traceId = traceId
    this.#spanId = spanId
  }

  generateTraceId = (): string => this.#traceId
  generateSpanId = (): string => this.#spanId
}

function traceIdOf(uuid: string): string {
  return uuid.replaceAll('-', '')
}

function spanIdOf(of: Span['of'], key: string): string {
  return createHash('sha256').update(`${of} ${key}`).digest('hex').slice(0, 16)
}

/** Logs that a collector does not accept the spans; nothing else happens. */
function complaining(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let complainedAt = -Infinity
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        if (result.error !== undefined && performance.now() - complainedAt > COMPLAINT_EVERY_MS) {
          complainedAt = performance.now()
          log.warn({ err: asError(result.error) }, 'traces.not_exported')
        }
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}
