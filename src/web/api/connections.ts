import * as yup from 'yup'
import { DISABLED_REASONS } from '../../database/endpoints/endpoints.js'
import type { Context } from '../../domain/context.js'
import { triggerEvent } from '../../domain/endpoints/test-event.js'
import { getConnection } from '../../domain/lines/connection-overview.js'
import { changeConnection, disconnect } from '../../domain/lines/connections.js'
import { UserError } from '../../errors.js'
import { LINE_EVENT_TYPES, LINE_OPT_IN_EVENT_TYPES } from '../../event-types.js'
import { optInEventsField, textField } from '../input/body-fields.js'
import {
  answers,
  count,
  describe,
  flag,
  givenUrl,
  id,
  listOf,
  maybe,
  maybeMoment,
  maybeUrl,
  moment,
  object,
  oneOf,
  pauseFields,
  schemaOf,
} from '../openapi/parts.js'
import { operationsOf } from './operation.js'

export const connectionSchemas = {
  Connection: object({
    lineId: id,
    enabled: flag,
    outgoingWebhookUrl: describe(maybeUrl, 'The URL that receives events.'),
    optInEvents: describe(
      listOf(oneOf(...LINE_OPT_IN_EVENT_TYPES)),
      'The events it gets in addition to received messages.',
    ),
    endpoint: describe(
      maybe(
        object({
          id: describe(id, "The endpoint's ID, for `/v1/endpoints`."),
          failingSince: describe(maybeMoment, 'When the current streak of failures began.'),
          consecutiveFailureCount: count,
          disabledAt: describe(
            maybeMoment,
            'When the endpoint was disabled. Events have been held since then. Enable the connection to send events again.',
          ),
          disabledReason: describe(
            maybe(oneOf(...DISABLED_REASONS)),
            "`gone`: it returned 410. `failing`: every attempt failed for five days. `owner_disabled`: the owner's account was disabled.",
          ),
          ...pauseFields('When events were paused. They wait until events are resumed.'),
          previousSecretUntil: describe(
            maybeMoment,
            'Events are also signed with the previous secret until then.',
          ),
        }),
      ),
      "The outgoing webhook's endpoint; null without a URL.",
    ),
    incomingWebhook: maybe(
      object({
        createdAt: moment,
        regeneratedAt: maybeMoment,
        previousTokenUntil: describe(maybeMoment, 'The previous token also works until then.'),
      }),
    ),
  }),
}

const operation = operationsOf('Developer connection')
const path = '/v1/lines/{lineId}/connection'
const connection = answers('The connection.', schemaOf('Connection'))

export const connectionOperations = [
  operation({
    operationId: 'getConnection',
    at: `get ${path}`,
    may: 'reads lines',
    summary: "Get a {line}'s developer connection",
    description: 'All fields are empty if the {line} was never connected.',
    answer: connection,
    act: ({ context, userId, id }) => presentConnection(context, userId, id),
  }),
  operation({
    operationId: 'changeConnection',
    at: `put ${path}`,
    may: 'changes lines',
    summary: 'Enable or disable the connection, and set its URL',
    description:
      'Give at least one field. Omitted fields stay unchanged. `enabled: true` also enables an ' +
      'endpoint that was disabled. A URL can be set only while the connection is enabled.',
    body: yup.object({
      enabled: yup.boolean().strict().typeError('enabled must be true or false'),
      outgoingWebhookUrl: textField('outgoingWebhookUrl must be a URL, or null to remove it')
        .nullable()
        .meta({ schema: maybe(givenUrl) }),
      optInEvents: optInEventsField(LINE_OPT_IN_EVENT_TYPES),
    }),
    needsField: true,
    answer: connection,
    refusals: [409],
    act: async ({ context, userId, id, body }) => {
      const change = await body()
      if (Object.keys(change).length === 0) {
        throw new UserError('Give at least one of enabled, outgoingWebhookUrl and optInEvents')
      }
      await changeConnection(context, userId, id, change)
      return presentConnection(context, userId, id)
    },
  }),
  operation({
    operationId: 'disconnect{Line}',
    at: `delete ${path}`,
    may: 'changes lines',
    summary: 'Disconnect, and delete the incoming webhook',
    description:
      'The incoming webhook then returns 404, and no events are sent. All other endpoints are deleted.',
    answer: connection,
    act: async ({ context, userId, id }) => {
      await disconnect(context, userId, id)
      return presentConnection(context, userId, id)
    },
  }),
  operation({
    operationId: 'triggerEvent',
    at: 'post /v1/lines/{lineId}/events/trigger',
    may: 'changes lines',
    summary: "Send an example event to the {line}'s outgoing webhook and listeners",
    description:
      'The event is sent immediately, and only once. The response is 200 even if that fails, and contains the result. Without an outgoing webhook, only listeners get it (`failure` is `no_url`), at most 100 times an hour.',
    body: yup.object({
      type: textField('type must be text').meta({
        schema: { ...oneOf(...LINE_EVENT_TYPES), default: 'inboundText' },
      }),
    }),
    answer: answers('The result.', schemaOf('TestEventResult')),
    refusals: [429],
    act: async ({ context, userId, id, body }) => {
      const { type } = await body()
      return triggerEvent(context, userId, id, type)
    },
  }),
]

export async function presentConnection(context: Context, userId: string, lineId: string) {
  return { [context.vocabulary.idField]: lineId, ...(await getConnection(context, userId, lineId)) }
}
