import type { LineHealth, EndpointHealth } from '../../database/lines/line-health.js'
import type { OwnLine } from '../../database/lines/lines.js'
import { endpointStateOf, type EndpointFacts } from '../endpoints/deliveries/endpoint-state.js'
import { countryName } from '../messages/country-guard.js'
import { withHost } from './overview/endpoints.js'
import type { Cure } from './overview/cure.js'
import { countOf } from './overview/figures.js'

/** A predicate, for one thing and for several. */
export type Does = readonly [one: string, several: string]

/** A fault that does not go away by itself, and everything that has it: a row of "Needs attention". */
export interface Cause {
  mood: 'bad' | 'waiting'
  /** The fault in a word or two, such as `HTTP 500`. */
  code: string
  noun: Does
  does: Does
  /** True if the code alone says what it is, so that the sentence would only repeat it. */
  isSaidByCode: boolean
  count: number
  /** When it began. */
  since: Date | null
  /** How many times in a row it happened; 0 if that is not counted. */
  failureCount: number
  /** The ones to name. */
  whose: CauseOf[]
}

export interface CauseOf {
  name: string
  /** The host of an endpoint. */
  host?: string
  /** The owner, for operators. */
  owner?: string
  /** The page where it is fixed. */
  cure: Cure
  /** The endpoint at which events wait for their next attempt. */
  waitingAt?: string
}

export const ENDPOINT: Does = ['endpoint', 'endpoints']
const LINE: Does = ['line', 'lines']

/** Returns why an endpoint does not accept its events, as a predicate. */
export function failureDoes(failure: string | null): Does {
  const status = statusOf(failure)
  if (status !== undefined) return [`answers HTTP ${status}`, `answer HTTP ${status}`]
  const [, one, several] = FAILURES[failure ?? ''] ?? [
    '',
    `fails: ${failure ?? 'reason not recorded'}`,
    `fail: ${failure ?? 'reason not recorded'}`,
  ]
  return [one, several]
}

/** Returns that reason in a word or two, for a badge. */
function failureCode(failure: string | null): string {
  const status = statusOf(failure)
  return status === undefined ? (FAILURES[failure ?? '']?.[0] ?? 'failing') : `HTTP ${status}`
}

function statusOf(failure: string | null): string | undefined {
  return /^http_(\d{3})$/.exec(failure ?? '')?.[1]
}

const FAILURES: Record<string, readonly [code: string, one: string, several: string]> = {
  timeout: ['timeout', 'times out', 'time out'],
  connect: ['connection refused', 'refuses the connection', 'refuse the connection'],
  dns: [
    'host not found',
    'has a host name that cannot be resolved',
    'have host names that cannot be resolved',
  ],
  blocked_address: [
    'blocked address',
    'has an address that is not public',
    'have addresses that are not public',
  ],
  invalid_url: ['invalid URL', 'has a URL that cannot be called', 'have URLs that cannot be called'],
  redirect: ['redirect', 'answers with a redirect', 'answer with a redirect'],
  reset: ['connection closed', 'closes the connection early', 'close the connection early'],
  network: ['unreachable', 'cannot be reached', 'cannot be reached'],
  bad_response: ['not HTTP', 'does not speak HTTP', 'do not speak HTTP'],
  too_large: [
    'headers too large',
    'answers with headers that are too large',
    'answer with headers that are too large',
  ],
  tls: ['TLS error', 'fails the TLS handshake', 'fail the TLS handshake'],
  tls_self_signed: ['certificate error', 'has a self-signed certificate', 'have self-signed certificates'],
  tls_expired: ['certificate error', 'has an expired certificate', 'have expired certificates'],
  tls_wrong_host: [
    'certificate error',
    'has a certificate for another host',
    'have certificates for other hosts',
  ],
  tls_untrusted: ['certificate error', 'has an untrusted certificate', 'have untrusted certificates'],
  tls_not_spoken: ['TLS error', 'does not speak TLS at this port', 'do not speak TLS at their ports'],
  template_failed: ['template error', 'has a template that fails', 'have templates that fail'],
  template_too_heavy: [
    'template error',
    'has a template that is too heavy',
    'have templates that are too heavy',
  ],
  worker_lost: [
    'attempt lost',
    'lost an attempt, because a process died',
    'lost attempts, because a process died',
  ],
  internal_error: [
    'internal error',
    'fails because of an internal error',
    'fail because of an internal error',
  ],
  aborted: ['interrupted', 'was interrupted by a restart', 'were interrupted by a restart'],
}

const CODES = Object.values(FAILURES).map(([code]) => code)

/** Tells whether no other failure has this code: `certificate error` needs a sentence, `HTTP 500` does not. */
export function isFailureSaidByCode(failure: string | null): boolean {
  if (statusOf(failure) !== undefined) return true
  const code = FAILURES[failure ?? '']?.[0]
  return code !== undefined && CODES.filter((each) => each === code).length === 1
}

interface EndpointBadge {
  mood: 'bad' | 'waiting' | 'good' | ''
  code: string
}

/** Returns an endpoint's state as every page shows it: its colour, and a word or two. */
export function badgeOfEndpoint(
  endpoint: EndpointFacts & { lastFailure: string | null; hasHeld?: boolean },
): EndpointBadge {
  switch (endpointStateOf(endpoint)) {
    case 'disabled':
      return { mood: 'bad', code: 'disabled' }
    case 'failing':
      return { mood: 'bad', code: failureCode(endpoint.lastFailure) }
    case 'paused':
      return { mood: 'waiting', code: 'paused' }
    case 'new':
    case 'healthy':
      if (endpoint.hasHeld === true) return { mood: 'waiting', code: 'held events' }
      return endpoint.calledAt === null
        ? { mood: '', code: 'not called yet' }
        : { mood: 'good', code: 'healthy' }
  }
}

/** Returns the reason why an endpoint is disabled. */
export function disabledDoes(reason: string | null, failure: string | null): Does {
  if (reason === 'gone') return ['is disabled: HTTP 410 Gone', 'are disabled: HTTP 410 Gone']
  if (reason === 'owner_disabled')
    return ['is disabled along with its owner', 'are disabled along with their owners']
  const [one, several] = failureDoes(failure)
  return [`is disabled after 5 days: ${one}`, `are disabled after 5 days: ${several}`]
}

type Named = Pick<OwnLine, 'id' | 'userId' | 'name' | 'status' | 'pausedAt' | 'pausedCountries'>

/**
 * Returns everything that is wrong with a line.
 *
 * @param health undefined if the line was added a moment ago
 */
export function causesOfLine(line: Named, health: LineHealth | undefined): Cause[] {
  const { id: lineId, userId, name, status, pausedAt, pausedCountries } = line
  const of = (
    code: string,
    does: Does,
    since: Date | null,
    cure: Cure,
    mood: Cause['mood'] = 'waiting',
  ): Cause => ({
    ...{ mood, code, noun: LINE, does, count: 1, since, failureCount: 0 },
    isSaidByCode: code === 'disabled',
    whose: [{ name, cure }],
  })
  if (status === 'disabled')
    return [of('disabled', ['is disabled', 'are disabled'], null, { at: 'line', userId, lineId }, 'bad')]
  const sending: Cure = { at: 'line sending', userId, lineId }
  const causes: Cause[] = []
  if (pausedAt !== null)
    causes.push(of('paused', ['is not sending (paused)', 'are not sending (paused)'], pausedAt, sending))
  if (pausedCountries !== null) {
    const where = pausedCountries.map(countryName).join(', ')
    causes.push(
      of('country paused', [`may not send to ${where}`, `may not send to ${where}`], null, sending, 'bad'),
    )
  }
  const unheardSince = health?.unheardSince ?? null
  if (unheardSince !== null) {
    const does: Does = ['receives messages and has no endpoint', 'receive messages and have no endpoint']
    causes.push(of('no endpoint', does, unheardSince, { at: 'line endpoints', userId, lineId }))
  }
  const { unknownMessages = null, failingMedia = null } = health ?? {}
  if (unknownMessages !== null) {
    const { count, since } = unknownMessages
    const what = `${countOf(count, 'message')} with an unknown outcome`
    const cure: Cure = { at: 'unknown messages', userId, lineId }
    causes.push(of('unknown outcome', [`has ${what}`, `have ${what} each`], since, cure))
  }
  if (failingMedia !== null) {
    const { count, since, messageId } = failingMedia
    const what = `${countOf(count, 'received picture or file', 'received pictures or files')} that could not be copied yet`
    const cure: Cure = { at: 'message', userId, messageId }
    causes.push(of('media not copied', [`has ${what}`, `have ${what} each`], since, cure))
  }
  return [...causes, ...(health?.endpoints ?? []).flatMap((endpoint) => causeOfEndpoint(endpoint, line))]
}

function causeOfEndpoint(endpoint: EndpointHealth, { userId, name }: Named): Cause[] {
  const { id, failingSince, disabledAt, disabledReason, pausedAt, lastFailure } = endpoint
  const { mood, code } = badgeOfEndpoint(endpoint)
  if (mood === 'good' || mood === '') return []
  const { host } = withHost(endpoint)
  const cause = (does: Does, since: Date | null, isSaidByCode: boolean, failureCount = 0): Cause[] => [
    {
      ...{ mood, code, noun: ENDPOINT, does, isSaidByCode, count: 1, since, failureCount },
      whose: [
        {
          name: endpoint.name === null ? name : `${name} · ${endpoint.name}`,
          host,
          cure: { at: 'endpoint', userId, endpointId: id },
          ...(endpoint.hasWaiting && pausedAt === null && disabledAt === null ? { waitingAt: id } : {}),
        },
      ],
    },
  ]
  const state = endpointStateOf(endpoint)
  if (state === 'disabled') return cause(disabledDoes(disabledReason, lastFailure), disabledAt, false)
  if (state === 'failing') {
    const isSaidByCode = isFailureSaidByCode(lastFailure)
    return cause(failureDoes(lastFailure), failingSince, isSaidByCode, endpoint.consecutiveFailureCount)
  }
  if (state === 'paused') return cause(['is paused', 'are paused'], pausedAt, false)
  return cause(['has held events', 'have held events'], null, true)
}

/** Groups equal causes, worst first, then the largest groups. */
export function groupCauses(causes: readonly Cause[]): Cause[] {
  const groups = new Map<string, Cause>()
  for (const cause of causes) {
    const key = `${cause.mood} ${cause.noun[0]} ${cause.does[0]}`
    const known = groups.get(key)
    groups.set(key, known === undefined ? cause : joined(known, cause))
  }
  const found = [...groups.values()].toSorted((one, other) => other.count - one.count)
  return [...found.filter(({ mood }) => mood === 'bad'), ...found.filter(({ mood }) => mood !== 'bad')]
}

function joined(one: Cause, other: Cause): Cause {
  return {
    ...one,
    count: one.count + other.count,
    since:
      [one.since, other.since]
        .filter((since) => since !== null)
        .toSorted((a, b) => Number(a) - Number(b))[0] ?? null,
    failureCount: Math.max(one.failureCount, other.failureCount),
    whose: [...one.whose, ...other.whose],
  }
}

/** Returns words such as `8 endpoints answer HTTP 500`. */
export function describeCause({ count, noun, does }: Pick<Cause, 'count' | 'noun' | 'does'>): string {
  if (count > 1) return `${count} ${noun[1]} ${does[1]}`
  return `${noun[0].charAt(0).toUpperCase()}${noun[0].slice(1)} ${does[0]}`
}
