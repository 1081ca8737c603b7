import { randomBytes, randomUUID } from 'node:crypto'
import type { ApiAnswer } from './server.js'
import type { Wrong } from './vonage-request.js'

/** The eight schemas of a 422 in the OpenAPI file, which has the numbers in `type`; only `title` is sure. */
export function refuse({ kind, sentence, field }: Wrong): ApiAnswer {
  const [type, title] = {
    json: ['#invalid-json', 'The request body did not contain valid JSON'],
    channel: ['/messages#1100', 'Unsupported channel'],
    sender: ['/messages#1120', 'Invalid sender'],
    recipient: ['/messages#1130', 'Invalid recipient'],
    type: ['/messages#1140', 'Invalid message type'],
    parameters: ['/messages#1150', 'Invalid params'],
    reference: ['/messages#1060', 'Invalid client reference'],
  }[kind] as [string, string]
  const invalid = field === undefined ? {} : { invalid_parameters: [{ name: field, reason: sentence }] }
  const answer = problem(422, type, title, sentence)
  return {
    ...answer,
    headers: { ...answer.headers, 'content-type': 'application/json' },
    body: { ...(answer.body as object), ...invalid },
  }
}

export function wrongCredentials(): ApiAnswer {
  return problem(
    401,
    '/#unathorized',
    'You did not provide correct credentials.',
    "Check that you're using the correct credentials, and that your account has this feature enabled",
  )
}

export function problem(
  status: number,
  type: string,
  title: string,
  detail: string,
  headers: Record<string, string> = {},
): ApiAnswer {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'X-Request-Id': randomUUID(), ...headers },
    body: {
      type: `https://developer.vonage.com/api-errors${type}`,
      title,
      detail,
      instance: randomBytes(16).toString('hex'),
    },
  }
}
