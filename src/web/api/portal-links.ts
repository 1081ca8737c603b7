import * as yup from 'yup'
import { createPortalLink, LINK_SECONDS, SESSION_SECONDS } from '../../domain/people/portal.js'
import { listField, wholeNumberField } from '../input/body-fields.js'
import { answers, describe, id, moment, object, schemaOf, url } from '../openapi/parts.js'
import { operationsOf } from './operation.js'

export const portalLinkSchemas = {
  PortalLink: object({
    url: describe(url, 'The link to open. It is returned only once.'),
    expiresAt: moment,
  }),
}

const operation = operationsOf('Portal links')

function seconds(name: string, { usual, most }: { usual: number; most: number }, about: string) {
  return wholeNumberField(1, most, `${name} must be a whole number from 1 to ${most}`).meta({
    schema: { type: 'integer', minimum: 1, maximum: most, default: usual },
    about,
  })
}

const MAX_LINES = 1000

export const portalLinkOperations = [
  operation({
    operationId: 'createPortalLink',
    at: 'post /v1/users/{userId}/portal-links',
    may: 'changes account',
    isForOperators: true,
    summary: "Create a link that opens the pages of a user's {lines} once, without a password",
    description:
      'Your own app sends the user to the link, which opens only the pages of these {lines} in the console. ' +
      'Only operators can create links, with their own API token, and not for other operators (409).',
    body: yup.object({
      lineIds: listField('lineIds', 'IDs', { max: MAX_LINES })
        .min(1, 'lineIds must not be empty')
        .meta({
          schema: { type: 'array', items: id, minItems: 1, maxItems: MAX_LINES },
          about: "The {lines} to show. Defaults to all the user's current {lines}.",
        }),
      expiresInSeconds: seconds('expiresInSeconds', LINK_SECONDS, 'How long the link is valid.'),
      sessionSeconds: seconds(
        'sessionSeconds',
        SESSION_SECONDS,
        'How long the session lasts after opening the link.',
      ),
    }),
    answer: answers('The link.', schemaOf('PortalLink')),
    refusals: [409],
    act: async ({ context, userId: operatorId, id: userId, body }) =>
      createPortalLink(context, userId, operatorId, await body()),
  }),
]
