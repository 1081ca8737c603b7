import { describe, object, oneOf, text } from './parts.js'

/** RFC 9457, as everything outside /webhooks answers what went wrong. */
export const problemSchema = object({
  type: oneOf('about:blank'),
  title: describe(text, "The status's name."),
  status: { type: 'integer', minimum: 400, maximum: 599 },
  detail: describe(text, 'What is wrong and how to mend it.'),
})

const PROBLEMS = {
  400: { name: 'BadRequest', description: 'Something in the request is wrong; `detail` names it.' },
  401: {
    name: 'Unauthorized',
    description: "There is no API token, nor an application's access token; or it is not valid.",
  },
  403: {
    name: 'Forbidden',
    description:
      'This may not be done: an application asks for what only users may do, or without the scope; or the state forbids it.',
  },
  404: { name: 'NotFound', description: 'There is no such thing, or it is somebody else’s.' },
  409: { name: 'Conflict', description: 'The state of things does not allow this; `detail` says what does.' },
  413: { name: 'TooLarge', description: 'The body is over 64 KiB.' },
  415: {
    name: 'UnknownEncoding',
    description: 'The `Content-Encoding` is not supported; `Accept-Encoding` says what is.',
  },
  422: { name: 'KeyReused', description: 'The `Idempotency-Key` was used with another body.' },
  429: { name: 'TooMany', description: 'Too much of it waits, or a daily cap is reached; try again later.' },
  431: { name: 'TooManyHeaders', description: 'There are more than 100 header fields.' },
  500: { name: 'InternalError', description: 'Our fault; it is logged.' },
  503: { name: 'Unavailable', description: 'Try again after `Retry-After` seconds.' },
} as const

export type ProblemStatus = keyof typeof PROBLEMS

const HEADERS: Partial<Record<ProblemStatus, Record<string, unknown>>> = {
  401: { 'WWW-Authenticate': { description: 'RFC 6750', required: true, schema: text } },
  415: { 'Accept-Encoding': { description: 'What is read here.', required: true, schema: text } },
  503: {
    'Retry-After': {
      description: 'Whole seconds.',
      required: true,
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

/** What Node answers by itself, to every request: before it is known whose it is. */
export const tooManyFields = {
  431: { description: 'The header fields are too large, or too many.' },
}

/**
 * What may go wrong with an operation. Where a token is asked for, one of an application may be the wrong one; where a
 * body is read, it may be encoded as nobody knows; 500 and 503 may be with every one that asks the database.
 */
export function problems(...statuses: readonly ProblemStatus[]): Record<string, unknown> {
  const all = new Set<ProblemStatus>([...statuses, 431, 500, 503])
  if (all.has(401)) all.add(403)
  if (all.has(413)) all.add(415)
  return Object.fromEntries(
    [...all].map((status) => [String(status), { $ref: `#/components/responses/${PROBLEMS[status].name}` }]),
  )
}
