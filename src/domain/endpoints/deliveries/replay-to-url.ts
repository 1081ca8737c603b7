import { setTimeout as sleep } from 'node:timers/promises'
import { transaction } from '../../../database/connection.js'
import { findEndpointsOfLine } from '../../../database/endpoints/deliveries/creating.js'
import { policyOf } from '../../../database/endpoints/policy.js'
import { findEndpointToCall } from '../../../database/endpoints/endpoints.js'
import {
  insertReplayedEvents,
  listEventsToReplay,
  type ListedEvent,
  type ReplayedEvent,
} from '../../../database/endpoints/replaying.js'
import { advanceTask, type ClaimedTask } from '../../../database/operating/tasks.js'
import type { Context } from '../../context.js'
import type { Batch } from '../../operating/tasks/batch.js'
import { postEvent, REPLAY_HEADER, type EventForEndpoint } from './post-event.js'
import type { AskedReplay, ReplaySource } from './replay-source.js'

/**
 * An event that a URL does not accept gets two more attempts, because people start staging servers and laptops
 * manually.
 */
const ATTEMPTS = 3
/** A laptop that is asleep must not keep a slot of `maintenance` for longer. */
const TIMEOUT_SECONDS = 10
/** A URL where every request fails is given up on, instead of being called for days. A batch is no larger. */
const MAX_FAILURES_IN_A_ROW = 10
/** The line has no URL of its own, and so no secret that its developer knows. */
const NO_SECRET = 'no_signing_secret'

/** POSTs some events to the URL, and records the result of each. */
export async function postBatch(
  context: Context,
  task: ClaimedTask,
  { filter }: ReplaySource,
  { url, perSecond }: AskedReplay & { url: string },
): Promise<Batch> {
  const limit = Math.min(perSecond, MAX_FAILURES_IN_A_ROW)
  const events = await listEventsToReplay(context.db, filter, task.position, limit)
  const signerOf = createSigners(context, filter)
  const sent = await Promise.all(
    events.map(async (event, n) => {
      await sleep((n * 1000) / perSecond)
      return send(context, event, url, await signerOf(event.lineId))
    }),
  )
  const failures = sent.flatMap(({ failure }) => (failure === null ? [] : [failure]))
  const posted = sent.filter(({ failure }) => failure !== NO_SECRET)
  const lastTaken = posted.findLastIndex(({ failure }) => failure === null)
  const failedInARow = posted.length - 1 - lastTaken + (lastTaken === -1 ? task.failedInARow : 0)
  await transaction(context.db, async (trx) => {
    // This comes first: a process that has lost its claim must not find the events of the other one.
    await advanceTask(trx, task, {
      position: events.at(-1)?.position ?? task.position,
      doneCount: sent.length - failures.length,
      failedCount: failures.length,
      failedInARow,
      ...(failures.length === 0 ? {} : { lastFailure: failures.at(-1) ?? '' }),
    })
    await insertReplayedEvents(trx, task.id, sent)
  })
  return {
    count: sent.length,
    isLast: events.length < limit,
    waitMs: (limit * 1000) / perSecond,
    ...(failedInARow < MAX_FAILURES_IN_A_ROW
      ? {}
      : { error: `The URL rejected ${failedInARow} events in a row. Check the server there` }),
  }
}

async function send(
  context: Context,
  { id, ...event }: ListedEvent,
  url: string,
  signer: Signer | undefined,
): Promise<ReplayedEvent> {
  const request: EventForEndpoint | undefined = signer && {
    ...event,
    ...signer,
    eventId: id,
    url,
    policy: { ...policyOf(signer.policy), timeoutSeconds: TIMEOUT_SECONDS },
    // The headers are meant for the endpoint's server, and often contain a password for it.
    headersSealed: null,
  }
  for (let attempt = 1; ; attempt += 1) {
    const sentAt = new Date()
    const { failure, response } =
      request === undefined
        ? { failure: NO_SECRET, response: undefined }
        : await postEvent(context, request, sentAt, REPLAY_HEADER)
    const isOver =
      failure === undefined || attempt === ATTEMPTS || request === undefined || response?.isLast === true
    if (isOver) {
      return {
        eventId: id,
        sentAt,
        attemptCount: attempt,
        responseStatus: response?.status ?? null,
        failure: failure ?? null,
      }
    }
    // The waits are 1 s and 5 s by default.
    await sleep(context.config.deliveryRetryBaseMs / (attempt === 1 ? 5 : 1))
  }
}

type Signer = Pick<
  EventForEndpoint,
  'endpointId' | 'ownerId' | 'secretSealed' | 'previousSecretSealed' | 'policy'
>

/**
 * The signing secret is that of the endpoint whose events they are, or of the event's line, which its developer
 * knows.
 */
function createSigners(
  context: Context,
  { endpointIds }: ReplaySource['filter'],
): (lineId: string | null) => Promise<Signer | undefined> {
  const known = new Map<string, Promise<Signer | undefined>>()
  return (lineId) => {
    const own = endpointIds?.[0]
    const key = own ?? lineId ?? ''
    const signer = known.get(key) ?? findSigner(context, own, lineId)
    known.set(key, signer)
    return signer
  }
}

async function findSigner(
  context: Context,
  own: string | undefined,
  lineId: string | null,
): Promise<Signer | undefined> {
  const endpoints = own === undefined && lineId !== null ? await findEndpointsOfLine(context.db, lineId) : []
  const endpointId = own ?? endpoints.find(({ applicationId }) => applicationId === null)?.endpointId
  const endpoint = endpointId === undefined ? undefined : await findEndpointToCall(context.db, endpointId)
  if (endpointId === undefined || endpoint === undefined) return undefined
  const { ownerId, secretSealed, previousSecretSealed, policy } = endpoint
  return { endpointId, ownerId, secretSealed, previousSecretSealed, policy }
}
