import {
  DEFAULT_POLICY,
  RETRY_SCHEDULES,
  SHAPES,
  SIGNATURE_KINDS,
  type EndpointPolicy,
  type RetrySchedule,
  type Shape,
  type SignatureKind,
} from '../../database/endpoints/policy.js'
import { storable } from '../../database/text.js'
import { UserError } from '../../errors.js'
import { countCharacters } from '../../kit/text/characters.js'
import { MAX_TEMPLATE_LENGTH } from './deliveries/template.js'

/** A receiver that needs longer should answer immediately, and do the work afterwards. */
export const MAX_TIMEOUT_SECONDS = 60
export const MAX_RETRIES = 20
/** This is seven days. */
export const MAX_WAIT_SECONDS = 604_800

interface Limits {
  /** The value of ENDPOINT_MAX_IN_FLIGHT. */
  maxRequestsAtOnce: number
  /** The types that the endpoint gets without asking, and so may decline. */
  unaskedEvents: EndpointPolicy['declinedEvents']
}

type Field = Exclude<keyof EndpointPolicy, 'bothSignaturesUntil'>

type Readers = {
  [Name in Field]: (written: unknown, limits: Limits) => EndpointPolicy[Name]
}

/** The reader of each field, for values that a program writes; null means the default. */
const READERS: Readers = {
  retrySchedule: readRetrySchedule,
  retryOnTimeout: (written) => readFlag('retryOnTimeout', written),
  timeoutSeconds: (written) => readCount('timeoutSeconds', written, MAX_TIMEOUT_SECONDS),
  requestsAtOnce: (written, limits) => readCount('requestsAtOnce', written, limits.maxRequestsAtOnce),
  ordered: (written) => readFlag('ordered', written),
  declinedEvents: (written, limits) => readDeclinedEvents(written, limits.unaskedEvents),
  shape: readShape,
  template: readTemplate,
  templateContentType: readContentType,
  signature: readSignature,
}

export const POLICY_FIELDS = Object.keys(READERS) as Field[]

/** @throws UserError 400, which names the field */
export function readPolicyFields(written: Record<string, unknown>, limits: Limits): Partial<EndpointPolicy> {
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => {
      if (!isField(name))
        throw new UserError(`A policy has no field ${name}. Its fields are ${POLICY_FIELDS.join(', ')}`)
      return [name, value === null ? DEFAULT_POLICY[name] : READERS[name](value, limits)]
    }),
  )
}

function isField(name: string): name is Field {
  return Object.hasOwn(READERS, name)
}

function readRetrySchedule(written: unknown): RetrySchedule {
  const named = RETRY_SCHEDULES.find((name) => name === written)
  if (named !== undefined) return named
  const isWait = (value: unknown) => isWhole(value, MAX_WAIT_SECONDS)
  if (Array.isArray(written) && written.length <= MAX_RETRIES && written.every(isWait)) {
    return written as number[]
  }
  throw new UserError(
    `retrySchedule must be ${RETRY_SCHEDULES.join(', ')}, or a list of at most ${MAX_RETRIES} waits of 1 to ` +
      `${MAX_WAIT_SECONDS} seconds, such as 5, 60, 3600`,
  )
}

function readFlag(name: string, written: unknown): boolean {
  if (typeof written === 'boolean') return written
  throw new UserError(`${name} must be true or false`)
}

function readCount(name: string, written: unknown, max: number): number {
  if (isWhole(written, max)) return written as number
  throw new UserError(`${name} must be a whole number from 1 to ${max}`)
}

function isWhole(value: unknown, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
}

function readShape(written: unknown): Shape {
  const known = SHAPES.find((shape) => shape === written)
  if (known === undefined) throw new UserError(`shape must be one of ${SHAPES.join(', ')}`)
  return known
}

function readSignature(written: unknown): SignatureKind {
  const known = SIGNATURE_KINDS.find((kind) => kind === written)
  if (known === undefined) throw new UserError('signature must be v1 (HMAC-SHA256) or v1a (Ed25519)')
  return known
}

function readTemplate(written: unknown): string {
  if (typeof written === 'string' && countCharacters(written) <= MAX_TEMPLATE_LENGTH) return storable(written)
  throw new UserError(`template must be text of at most ${MAX_TEMPLATE_LENGTH} characters`)
}

/** The description of `/v1` has it as well, so it is one that every language reads alike. */
export const CONTENT_TYPE = /^[A-Za-z0-9_.+-]+\/[A-Za-z0-9_.+-]+(; ?[Cc]harset=(utf|UTF)-8)?$/

function readContentType(written: unknown): string {
  if (typeof written === 'string' && written.length <= 100 && CONTENT_TYPE.test(written)) return written
  throw new UserError(
    'templateContentType must be a type such as application/json or text/plain; charset=utf-8',
  )
}

function readDeclinedEvents(
  written: unknown,
  types: EndpointPolicy['declinedEvents'],
): EndpointPolicy['declinedEvents'] {
  const isKnown = (value: unknown): value is (typeof types)[number] => types.some((type) => type === value)
  if (Array.isArray(written) && written.every(isKnown)) return [...new Set(written)]
  throw new UserError(
    `declinedEvents must be a list of ${types.join(', ')}; other events are sent only if optInEvents lists them`,
  )
}
