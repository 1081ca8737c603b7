import { MAX_OVERLAP_SECONDS } from '../../domain/lines/incoming-webhooks.js'
import { answers, body, describe, inPath, object, schemaOf, text, url, type Paths } from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

export function incomingWebhookSettingPaths({ vocabulary, line }: ProductNames): Paths {
  const webhook = vocabulary.path('/v1/lines/{lineId}/incoming-webhook')
  const parameters = [inPath(vocabulary.idField, `The ${line}'s id.`)]
  const tags = ['Incoming webhook']
  const answer = answers(
    'The webhook. Its URL is a secret, because anybody who has it can send.',
    object({ url, token: text }),
  )
  return {
    [webhook]: {
      parameters,
      get: {
        operationId: 'getIncomingWebhook',
        tags,
        summary: 'Get the URL with its token',
        description: 'Anybody who has the URL can send. If somebody else may know it, give it a new token.',
        responses: { 200: answer, ...problems(401, 404) },
      },
      post: {
        operationId: 'createIncomingWebhook',
        tags,
        summary: 'Create the incoming webhook',
        description: 'The developer connection must be enabled.',
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
      delete: {
        operationId: 'deleteIncomingWebhook',
        tags,
        summary: 'Delete the webhook; its URL then answers 404',
        description: 'You can create a new one, which has another token.',
        responses: {
          200: answers('The connection as it is now.', schemaOf('Connection')),
          ...problems(401, 404),
        },
      },
    },
    [`${webhook}/regenerate`]: {
      parameters,
      post: {
        operationId: 'regenerateToken',
        tags,
        summary: 'Give it a new token',
        description: 'The old token ends at once, or after `overlapSeconds`.',
        requestBody: body(
          object(
            {
              overlapSeconds: describe(
                { type: 'integer', minimum: 0, maximum: MAX_OVERLAP_SECONDS, default: 0 },
                'How long the old token still works.',
              ),
            },
            ['overlapSeconds'],
          ),
          { isOptional: true },
        ),
        responses: { 200: answer, ...problems(400, 401, 404, 413) },
      },
    },
  }
}
