import {
  answers,
  body,
  count,
  describe,
  id,
  inHeader,
  inPath,
  inQuery,
  listOf,
  moment,
  object,
  text,
  type Paths,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

const listenerAttempt = object(
  {
    eventId: id,
    startedAt: moment,
    durationMs: { ...count, maximum: 600_000 },
    responseStatus: { type: ['integer', 'null'], minimum: 100, maximum: 599 },
    failure: {
      type: ['string', 'null'],
      pattern: '^[A-Za-z0-9_]{1,64}$',
      description: 'Why there was no answer, such as `ECONNREFUSED`.',
    },
  },
  ['responseStatus', 'failure'],
)

export function eventPaths({ vocabulary, line }: ProductNames): Paths {
  const events = vocabulary.path('/v1/lines/{lineId}/events')
  const parameters = [inPath(vocabulary.idField, `The ${line}'s id.`)]
  return {
    [`${events}/stream`]: {
      parameters,
      get: {
        operationId: 'streamEvents',
        tags: ['Outgoing webhook'],
        summary: `Follow the events of a ${line}`,
        description:
          'Server-sent events, as `linehook listen` reads them. `data` is JSON: `id`, `type`, `fromNumber`, `createdAt`, and the `headers` ' +
          'and the `body` (a text) that are posted to the outgoing webhook URL, without the headers that you added. There is no `webhook-signature` if the ' +
          `${line} has no such URL, because its secret signs. An event of the name \`position\` comes every 15 s and has no ` +
          'event of yours. The stream ends after five minutes, and when the token is revoked; a reader that takes nothing for ' +
          '30 s is cut off. Connect again with `Last-Event-ID`: nothing is missed, and the last ten seconds before it come ' +
          'once more with the same `webhook-id`. One user may have ten streams.',
        parameters: [
          inHeader('Last-Event-ID', id, 'Go on after this event.'),
          inQuery('from', moment, 'Begin at this moment instead of now.'),
        ],
        responses: {
          200: {
            description: 'A stream of events.',
            content: { 'text/event-stream': { schema: describe(text, 'Server-sent events.') } },
          },
          ...problems(400, 401, 404, 429),
        },
      },
    },
    [`${events}/attempts`]: {
      parameters,
      post: {
        operationId: 'recordListenerAttempts',
        tags: ['Outgoing webhook'],
        summary: 'Note what a listener answered',
        description:
          "As `linehook listen` does. A message's page shows it; nothing of it counts for the delivery or the endpoint. An attempt at " +
          'the same event and of the same `startedAt` is noted once, and at most 100 of an event.',
        requestBody: body(object({ attempts: { ...listOf(listenerAttempt), minItems: 1, maxItems: 100 } })),
        responses: {
          200: answers('How many were noted now.', object({ recorded: count })),
          ...problems(400, 401, 404, 413),
        },
      },
    },
  }
}
