import * as yup from 'yup'
import { recordListenerAttempts } from '../../domain/endpoints/listener-attempts.js'
import { getOwnLine } from '../../domain/lines/lines.js'
import { isId } from '../../ids.js'
import { uuid } from '../../shape.js'
import { shortListOf, textField, wholeNumberField } from '../input/body-fields.js'
import { momentParameter } from '../input/query.js'
import { answers, count, object } from '../openapi/parts.js'
import { operationsOf } from './operation.js'

/** This many fit into a body, and a listener has no more in a second. */
const MAX_LISTENER_ATTEMPTS = 100
const FAILURE_NAME = /^\w{1,64}$/
const MAX_DURATION_MS = 600_000

const LIST = `attempts must be a list of 1 to ${MAX_LISTENER_ATTEMPTS} attempts`
const EVENT_ID = 'eventId must be the ID of an event'
const STARTED_AT = 'startedAt must be a time such as 2026-01-31T12:00:00Z'
const DURATION = `durationMs must be a whole number from 0 to ${MAX_DURATION_MS}`
const STATUS = 'responseStatus must be a whole number from 100 to 599, or null'
const FAILURE = 'failure must be a name of letters, digits and underscores, or null'

const attempt = yup.object({
  eventId: textField(EVENT_ID)
    .required(EVENT_ID)
    .test('id', EVENT_ID, (id) => isId(id))
    .meta({ schema: uuid.schema }),
  startedAt: momentParameter().required(STARTED_AT),
  durationMs: wholeNumberField(0, MAX_DURATION_MS, DURATION).required(DURATION),
  responseStatus: wholeNumberField(100, 599, STATUS).nullable().default(null),
  failure: textField(FAILURE)
    .nullable()
    .default(null)
    .matches(FAILURE_NAME, FAILURE)
    .meta({
      schema: { type: ['string', 'null'], pattern: '^[A-Za-z0-9_]{1,64}$' },
      about: 'Why there was no response, such as `ECONNREFUSED`.',
    }),
})

export const listenerOperations = [
  operationsOf('Outgoing webhook')({
    operationId: 'recordListenerAttempts',
    at: 'post /v1/lines/{lineId}/events/attempts',
    may: 'changes lines',
    summary: "Record a listener's response",
    description:
      "Used by `linehook listen`. It is shown on the message's page and does not affect the delivery or the endpoint. An attempt for " +
      'the same event with the same `startedAt` is recorded once, with at most 100 attempts per event.',
    body: yup.object({
      attempts: shortListOf(attempt.typeError(LIST), MAX_LISTENER_ATTEMPTS, LIST).required(LIST).min(1, LIST),
    }),
    answer: answers('The number of attempts recorded.', object({ recorded: count })),
    act: async ({ context, userId, id, body }) => {
      const line = await getOwnLine(context, userId, id)
      const { attempts } = await body()
      return { recorded: await recordListenerAttempts(context, line.id, attempts) }
    },
  }),
]
