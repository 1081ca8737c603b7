import { describe, object, oneOf, text } from './parts.js'

/** Everything outside /webhooks answers a failure with a problem of RFC 9457. */
export const problemSchema = object({
  type: oneOf('about:blank'),
  title: describe(text, 'The name of the status.'),
  status: { type: 'integer', minimum: 400, maximum: 599 },
  detail: describe(text, 'What is wrong and how to fix it.'),
})

const PROBLEMS = {
  400: { name: 'BadRequest', description: 'The request is invalid; `detail` says why.' },
  401: {
    name: 'Unauthorized',
    description: 'The API token or access token is missing or not valid.',
  },
  403: {
    name: 'Forbidden',
    description:
      'Not allowed: the application lacks the scope or only users can do this, the API token is read-only or limited to ' +
      'one {line}, or the current state forbids it.',
  },
  404: { name: 'NotFound', description: 'Not found, or it belongs to another user.' },
  409: { name: 'Conflict', description: 'The current state does not allow this; `detail` says what to do.' },
  413: { name: 'TooLarge', description: 'The body is over 64 KiB, or a batch of messages over 4 MiB.' },
  415: {
    name: 'UnknownEncoding',
    description: 'The `Content-Encoding` is not supported; `Accept-Encoding` lists what is.',
  },
  422: { name: 'KeyReused', description: 'The `Idempotency-Key` was used with another body.' },
  429: {
    name: 'TooMany',
    description:
      'Too many messages are waiting, too many streams are open, or a daily or monthly cap is reached. Try again later.',
  },
  431: { name: 'TooManyHeaders', description: 'There are more than 100 header fields.' },
  500: { name: 'InternalError', description: 'Internal error. It has been logged.' },
  503: {
    name: 'Unavailable',
    description:
      'With `Retry-After`, nothing was changed: try again after that many seconds. Without it, it is unknown whether the change ' +
      'was made or the message accepted. Check before you repeat the request, or repeat it with the same `Idempotency-Key`.',
  },
} as const

export type ProblemStatus = keyof typeof PROBLEMS

const HEADERS: Partial<Record<ProblemStatus, Record<string, unknown>>> = {
  401: { 'WWW-Authenticate': { description: 'RFC 6750', required: true, schema: text } },
  403: {
    'WWW-Authenticate': { description: 'RFC 6750, if the token lacks the scope or access.', schema: text },
  },
  415: {
    'Accept-Encoding': { description: 'The supported encodings.', required: true, schema: text },
  },
  429: { 'Retry-After': { description: 'Whole seconds.', schema: { type: 'integer', minimum: 1 } } },
  503: {
    'Retry-After': {
      description: 'Whole seconds. Missing if it is unknown whether the request was done.',
      schema: { type: 'integer', minimum: 1 },
    },
  },
}

export const problemResponses = Object.fromEntries(
  Object.entries(PROBLEMS).map(([status, { name, description }]) => {
    const headers = HEADERS[Number(status) as ProblemStatus]
    const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
    return [name, { description, ...(headers ? { headers } : {}), content }]
  }),
)

/**
 * Node answers this by itself, before our code sees the request. So it is not a problem, and every operation has it.
 */
export const tooManyFields = {
  431: { description: 'The header fields are too large or too many.' },
}

/**
 * Describes the possible errors of an operation. An operation that needs a token (401) may also refuse an
 * application's token (403). One that reads a body (413) may not know the body's encoding (415). Every one that asks
 * the database may fail with 500 or 503.
 */
export function problems(...statuses: readonly ProblemStatus[]): Record<string, unknown> {
  const all = new Set<ProblemStatus>([...statuses, 431, 500, 503])
  if (all.has(401)) all.add(403)
  if (all.has(413)) all.add(415)
  return Object.fromEntries(
    [...all].map((status) => [String(status), { $ref: `#/components/responses/${PROBLEMS[status].name}` }]),
  )
}
