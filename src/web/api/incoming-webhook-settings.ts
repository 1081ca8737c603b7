import * as yup from 'yup'
import {
  createIncomingWebhook,
  regenerateToken,
  removeIncomingWebhook,
  revealIncomingWebhook,
} from '../../domain/lines/incoming-webhooks.js'
import { getOwnLine } from '../../domain/lines/lines.js'
import { UserError } from '../../errors.js'
import { overlapField } from '../input/body-fields.js'
import { answers, object, schemaOf, text, url } from '../openapi/parts.js'
import { presentConnection } from './connections.js'
import { operationsOf } from './operation.js'

const operation = operationsOf('Incoming webhook')
const path = '/v1/lines/{lineId}/incoming-webhook'
const webhook = answers(
  'The webhook. Keep its URL secret: anyone who has it can send.',
  object({ url, token: text }),
)

export const incomingWebhookOperations = [
  operation({
    operationId: 'getIncomingWebhook',
    at: `get ${path}`,
    may: 'reveals lines',
    summary: 'Get the URL with its token',
    description: 'Anyone who has the URL can send. If it may have leaked, regenerate its token.',
    answer: webhook,
    act: async ({ context, userId, id }) => {
      const found = await revealIncomingWebhook(context, userId, id)
      if (found !== undefined) return found
      await getOwnLine(context, userId, id)
      throw new UserError('This line has no incoming webhook. Create one first', 404)
    },
  }),
  operation({
    operationId: 'createIncomingWebhook',
    at: `post ${path}`,
    may: 'changes lines',
    summary: 'Create the incoming webhook',
    description: 'The developer connection must be enabled.',
    answer: webhook,
    refusals: [409],
    act: ({ context, userId, id }) => createIncomingWebhook(context, userId, id),
  }),
  operation({
    operationId: 'deleteIncomingWebhook',
    at: `delete ${path}`,
    may: 'changes lines',
    summary: 'Delete the webhook; its URL then returns 404',
    description: 'You can create a new one with a different token.',
    answer: answers('The connection.', schemaOf('Connection')),
    act: async ({ context, userId, id }) => {
      await removeIncomingWebhook(context, userId, id)
      return presentConnection(context, userId, id)
    },
  }),
  operation({
    operationId: 'regenerateToken',
    at: `post ${path}/regenerate`,
    may: 'changes lines',
    summary: 'Regenerate the token',
    description:
      'The old token stops working immediately, or after `overlapSeconds`. While an older token still works, only `0` ' +
      'regenerates it again; otherwise the response is 409.',
    body: yup.object({
      overlapSeconds: overlapField(0, 'How long the old token keeps working.'),
    }),
    answer: webhook,
    refusals: [409],
    act: async ({ context, userId, id, body }) => {
      const { overlapSeconds } = await body()
      return regenerateToken(context, userId, id, overlapSeconds)
    },
  }),
]
