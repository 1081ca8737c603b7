import { styleText } from 'node:util'
import type { Config } from '../src/config.js'
import { countOf, describeCount, describeMs } from '../src/domain/operating/overview/figures.js'
import type { EndpointTroubles } from '../src/domain/operating/overview/endpoints.js'
import type { BusyLine, Overview } from '../src/domain/operating/overview/overview.js'
import type { Part } from '../src/domain/operating/overview/part.js'
import type { Percentiles } from '../src/domain/operating/overview/percentiles.js'
import type { QueueView } from '../src/domain/operating/overview/queues.js'
import type { ServiceView } from '../src/domain/operating/overview/service.js'
import type { Traffic } from '../src/domain/operating/overview/traffic.js'
import { ownerOf } from '../src/domain/operating/overview/needs.js'
import { printable } from './terminal.js'

type Mood = 'good' | 'waiting' | 'bad'

const COLOURS = { good: 'green', waiting: 'yellow', bad: 'red' } as const
const QUEUE_MOODS = { normal: 'good', behind: 'waiting', stuck: 'bad' } as const
const SERVICE_WORDS = { good: 'healthy', waiting: 'warning', bad: 'critical' }

/** The overview for a terminal: one screen. */
export function describeStatus(
  overview: Overview,
  { version, publicUrl }: Pick<Config, 'version' | 'publicUrl'>,
  hasColours: boolean,
): string[] {
  const paint = (mood: Mood, text: string) => (hasColours ? styleText(COLOURS[mood], text) : text)
  const bold = (text: string) => (hasColours ? styleText('bold', text) : text)
  /** A row has a name, a state in its colour, and details. */
  const row = (name: string, mood: Mood, state: string, ...more: string[]) =>
    `  ${name.padEnd(16)} ${paint(mood, state.padEnd(13))} ${more.join(' ')}`.trimEnd()
  const rowsOf = <Value>(name: string, part: Part<Value>, rows: (value: Value) => string[]) =>
    part.isKnown ? rows(part.value) : [row(name, 'bad', 'unknown', `${part.fault}.`)]
  const service = (name: string, part: Part<ServiceView>) =>
    rowsOf(name, part, ({ mood, facts }) => [
      row(name, mood, SERVICE_WORDS[mood], facts.map(([label, figure]) => `${label}: ${figure}`).join(' · ')),
    ])
  const { needs, traffic, queues, carriers, endpoints, lines, postgres, redis, storage } = overview

  /** A section is left out if it has nothing to say. */
  const titled = <Value>(title: string, part: Part<Value>, rows: (value: Value) => string[]) => {
    const found = part.isKnown ? rows(part.value) : []
    return found.length === 0 ? [] : [bold(title), ...found, '']
  }

  return [
    bold(`Linehook ${version}`) + ` at ${publicUrl}, ${overview.at.toISOString().slice(0, 19)}Z`,
    '',
    bold('Needs attention'),
    ...(needs.length === 0
      ? [`  ${paint('good', 'Nothing.')}`]
      : needs.map(({ mood, text }) => `  ${paint(mood, mood === 'bad' ? '✗' : '!')} ${printable(text)}`)),
    '',
    bold('Last hour'),
    ...rowsOf('counts', traffic, describeTraffic),
    '',
    bold('Queues'),
    ...rowsOf('queues', queues, (all) =>
      all.map((queue) => row(queue.name, QUEUE_MOODS[queue.state], queue.state, describeQueue(queue))),
    ),
    '',
    bold('Carriers'),
    ...rowsOf('carriers', carriers, (all) =>
      all.map(({ name, mood, state, lineCount, handedOverCount, failedCount }) =>
        row(
          name,
          mood,
          state,
          `${countOf(lineCount, 'line')}, ${countOf(handedOverCount, 'message')} in 15 minutes, ${describeCount(failedCount)} failed`,
        ),
      ),
    ),
    '',
    ...titled('Failing or slow endpoints, worst first', endpoints, describeEndpoints),
    ...titled('Busiest lines in the last 15 minutes', lines, describeLines),
    bold('Services'),
    ...service('Postgres', postgres),
    ...service('Redis', redis),
    ...service('Storage', storage),
  ]
}

function describeTraffic({ totals, waits }: Traffic): string[] {
  const figures = (names: readonly (readonly [keyof typeof totals, string])[]) =>
    names.map(([name, label]) => `${label} ${describeCount(totals[name])}`).join(', ')
  return [
    `  out: ${figures([
      ['accepted', 'accepted'],
      ['sent', 'sent'],
      ['delivered', 'delivered'],
      ['failed', 'failed'],
      ['unknown', 'unknown'],
    ])}${describeWait('to the carrier', waits.carrier)}`,
    `  in:  ${figures([
      ['received', 'received'],
      ['eventsDelivered', 'events delivered'],
      ['attemptsFailed', 'failed attempts'],
    ])}${describeWait('to the endpoint', waits.endpoint)}`,
  ]
}

function describeWait(way: string, wait: Percentiles | undefined): string {
  if (wait === undefined) return ''
  return `; ${way} median ${describeMs(wait.p50Ms)}, p95 ${describeMs(wait.p95Ms)}`
}

function describeEndpoints({ endpoints }: EndpointTroubles): string[] {
  return endpoints.map(
    ({ disabledAt, failingSince, consecutiveFailureCount, waitingCount, heldCount, ...endpoint }) => {
      const failing =
        failingSince === null
          ? 'slow, so it gets fewer events at a time'
          : `failed ${countOf(consecutiveFailureCount, 'time')} in a row`
      const state = disabledAt === null ? failing : 'disabled'
      const left = `${countOf(waitingCount, 'event')} waiting, ${describeCount(heldCount)} held`
      return `  ${endpoint.host} ${ownerOf(endpoint)}: ${state}; ${left}`
    },
  )
}

function describeLines(lines: readonly BusyLine[]): string[] {
  return lines.map(
    ({ number, acceptedCount, receivedCount }) =>
      `  ${number.padEnd(16)} ${describeCount(acceptedCount)} accepted, ${describeCount(receivedCount)} received`,
  )
}

function describeQueue({ waitingCount, perMinute, workers, why }: QueueView): string {
  const figures = [
    waitingCount === null ? undefined : `${describeCount(waitingCount)} waiting`,
    perMinute === null ? undefined : `${describeCount(perMinute)} in the last minute`,
    workers === null ? undefined : countOf(workers, 'worker'),
  ].filter((figure) => figure !== undefined)
  return [...(figures.length === 0 ? [] : [`${figures.join(', ')}.`]), why].join(' ')
}
