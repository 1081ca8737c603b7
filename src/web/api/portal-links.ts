import * as yup from 'yup'
import { createPortalLink, LINK_SECONDS, SESSION_SECONDS } from '../../domain/people/portal.js'
import { listField } from '../input/body-fields.js'
import { answers, describe, id, moment, object, schemaOf, url } from '../openapi/parts.js'
import { operationsOf } from './operation.js'

export const portalLinkSchemas = {
  PortalLink: object({
    url: describe(url, 'Where the user opens it. It is told this once.'),
    expiresAt: moment,
  }),
}

const operation = operationsOf('Portal links')

function seconds(name: string, { usual, most }: { usual: number; most: number }, about: string) {
  const refusal = `${name} must be a whole number from 1 to ${most}`
  return yup
    .number()
    .strict()
    .typeError(refusal)
    .integer(refusal)
    .min(1, refusal)
    .max(most, refusal)
    .meta({ schema: { type: 'integer', minimum: 1, maximum: most, default: usual }, about })
}

const MAX_LINES = 1000

export const portalLinkOperations = [
  operation({
    operationId: 'createPortalLink',
    at: 'post /v1/users/{userId}/portal-links',
    may: 'changes account',
    isForOperators: true,
    summary: 'Make a link that lets a user into the pages of their {lines}, once, without a password',
    description:
      'For your own app: send the user to the link. It opens the console with the pages of these {lines} and nothing else. ' +
      'Operators alone make such links, with their own API token, and not for operators (409).',
    body: yup.object({
      lineIds: listField('lineIds must be a list of ids')
        .max(MAX_LINES, `lineIds must have ${MAX_LINES} ids at most`)
        .min(1, 'lineIds must not be empty')
        .meta({
          schema: { type: 'array', items: id, minItems: 1, maxItems: MAX_LINES },
          about: 'Which {lines} of the user; all that the user has now when left out.',
        }),
      expiresInSeconds: seconds('expiresInSeconds', LINK_SECONDS, 'How long the link waits to be opened.'),
      sessionSeconds: seconds('sessionSeconds', SESSION_SECONDS, 'How long the session lasts that it opens.'),
    }),
    answer: answers('The link.', schemaOf('PortalLink')),
    refusals: [409],
    act: async ({ context, id: userId, body }) => createPortalLink(context, userId, await body()),
  }),
]
