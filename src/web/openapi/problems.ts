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
  403: { name: 'Forbidden', description: 'This may not be done.' },
  404: { name: 'NotFound', description: 'There is no such thing, or it is somebody else’s.' },
  409: { name: 'Conflict', description: 'The state of things does not allow this; `detail` says what does.' },
  413: { name: 'TooLarge', description: 'The body is over 64 KiB.' },
  415: { name: 'UnsupportedEncoding', description: 'The body is packed in a way that is not read here.' },
  422: { name: 'KeyReused', description: 'The `Idempotency-Key` was used with another body.' },
  429: { name: 'TooMany', description: 'Too much of it waits; try again later.' },
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

const ALWAYS = [431, 500, 503] as const

/** What may go wrong with an operation: 431 with every one, 415 where a body is read, 500 and 503 where the database is. */
export function problems(...statuses: readonly ProblemStatus[]): Record<string, unknown> {
  return Object.fromEntries(
    [...statuses, ...(statuses.includes(413) ? [415 as const] : []), ...ALWAYS].map((status) => [
      String(status),
      { $ref: `#/components/responses/${PROBLEMS[status].name}` },
    ]),
  )
}
