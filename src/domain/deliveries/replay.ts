import { setTimeout as sleep } from 'node:timers/promises'
import { policyOf } from '../../database/endpoint-policy.js'
import { findEndpoint } from '../../database/endpoints.js'
import type { EventType } from '../../database/events.js'
import { findEndpointsOfLine } from '../../database/deliveries/creating.js'
import {
  countReplayable,
  insertReplayedEvents,
  listEventsToReplay,
  replayDeliveries,
  type ListedEvent,
  type ReplayedEvent,
  type ReplayFilter,
  type ReplayOutcome,
} from '../../database/replaying.js'
import { advanceWork, setWorkTotal, type ClaimedWork } from '../../database/works.js'
import { UserError } from '../../errors.js'
import { getApplication } from '../applications.js'
import { NO_ENDPOINT_URL } from '../applications/endpoint.js'
import { maskUrl } from '../audit.js'
import { requireEnabled, requireLine } from '../connection-requirements.js'
import type { Context } from '../context.js'
import { NO_URL } from '../signing-secrets.js'
import { addWork, type Work } from '../works.js'
import type { Batch } from '../works/batch.js'
import { postEvent, REPLAY_HEADER, type EventForEndpoint } from './deliver.js'

export { REPLAY_OUTCOMES } from '../../database/replaying.js'

/** Whose events: a line's to its own URL, also those of the line to applications, an application's, or all. */
export type ReplayOf =
  | { of: 'line'; userId: string; id: string }
  | { of: 'line_and_applications'; userId: string; id: string }
  | { of: 'application'; userId: string; id: string }
  | { of: 'all' }

export interface ReplayRequest {
  from: Date
  /** Left out: now. */
  until?: Date | undefined
  /** Left out: of every type. */
  types?: readonly EventType[] | undefined
  /** Left out: `any`. */
  outcome?: ReplayOutcome | undefined
  /** Left out: DEFAULT_RATE. */
  perSecond?: number | undefined
  /** A URL that gets the events instead of the endpoints. */
  url?: string | undefined
}

export const DEFAULT_RATE = 10
export const MAX_RATE = 100
/** More are not counted before a replay is started. */
export const MAX_COUNTED = 10_000

/** How the row of the work has it. */
interface Asked {
  of: ReplayOf['of']
  from: string
  until: string
  types?: EventType[]
  outcome: ReplayOutcome
  perSecond: number
  url?: string
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Starts a replay: the events of a span of time go out again, the oldest first and at a pace, with the `webhook-id` that they
 * had and the header `webhook-replay: true`. Without a URL each delivery that is over, or that waits after a failure, gets a new
 * round of attempts. With one each event is POSTed there, signed with the endpoint's secret, and nothing else changes.
 *
 * @throws UserError 400, 404, 409 when it could not go out now, or too many works are under way
 */
export async function startReplay(context: Context, whose: ReplayOf, request: ReplayRequest): Promise<Work> {
  const asked = await readReplay(context, whose, request)
  const { url, perSecond, outcome } = asked
  const { count, isMore } = await countAsked(context, whose, asked)
  const { userId, id } = whose.of === 'all' ? { userId: null, id: null } : whose
  const isApplications = whose.of === 'application'
  return addWork(
    context,
    {
      kind: 'replay',
      userId,
      lineId: isApplications ? null : id,
      applicationId: isApplications ? id : null,
      asked,
      totalCount: isMore ? null : count,
    },
    {
      action: isApplications ? 'application.events.replayed' : 'line.events.replayed',
      subjectId: id,
      userId,
      after: {
        from: asked.from,
        until: asked.until,
        outcome,
        perSecond,
        ...(asked.types === undefined ? {} : { types: asked.types }),
        ...(url === undefined ? {} : { url: maskUrl(url) }),
      },
    },
  )
}

/** How many events a replay would send: exactly up to MAX_COUNTED. @throws UserError as `startReplay` */
export async function countReplay(
  context: Context,
  whose: ReplayOf,
  request: ReplayRequest,
): Promise<{ count: number; isMore: boolean }> {
  return countAsked(context, whose, await readReplay(context, whose, request))
}

async function countAsked({ db }: Context, whose: ReplayOf, asked: Asked) {
  const filter = filterOf(asked, whose.of === 'all' ? null : whose.id)
  const { count } = await countReplayable(db, filter, wayOf(asked), {
    afterId: FIRST_ID,
    limit: MAX_COUNTED + 1,
  })
  return { count: Math.min(count, MAX_COUNTED), isMore: count > MAX_COUNTED }
}

async function readReplay(context: Context, whose: ReplayOf, request: ReplayRequest): Promise<Asked> {
  const { from, until = new Date(), types, outcome = 'any', perSecond = DEFAULT_RATE, url } = request
  if (from >= until) throw new UserError('from must be before until, and before now')
  if (!Number.isInteger(perSecond) || perSecond < 1 || perSecond > MAX_RATE) {
    throw new UserError(`perSecond must be a whole number from 1 to ${MAX_RATE}`)
  }
  const fault = url === undefined ? undefined : await context.safeFetch.explainUrl(url)
  if (fault !== undefined) throw new UserError(`url: ${fault}`)
  await requireReceiver(context, whose, url !== undefined)
  return {
    of: whose.of,
    from: from.toISOString(),
    until: until.toISOString(),
    outcome,
    perSecond,
    ...(types === undefined || types.length === 0 ? {} : { types: [...types] }),
    ...(url === undefined ? {} : { url }),
  }
}

/** @throws UserError 404, 409 when there is nobody to send to, or no secret to sign with */
async function requireReceiver(context: Context, whose: ReplayOf, isToUrl: boolean): Promise<void> {
  if (whose.of === 'all') return
  const { userId, id } = whose
  if (whose.of === 'application') {
    const { endpointId, endpointDisabledAt } = await getApplication(context, userId, id)
    if (endpointId === null) throw new UserError(NO_ENDPOINT_URL, 409)
    if (!isToUrl && endpointDisabledAt !== null) throw new UserError(IS_DISABLED, 409)
    return
  }
  if (whose.of === 'line_and_applications') return requireLine(context.db, userId, id)
  const { endpointId, endpointDisabledAt } = await requireEnabled(context.db, userId, id)
  if (endpointId === null) throw new UserError(NO_URL, 409)
  if (!isToUrl && endpointDisabledAt !== null) throw new UserError(IS_DISABLED, 409)
}

const IS_DISABLED = 'the endpoint is disabled, because it failed: enable it first, or give another URL'

function filterOf(
  asked: Pick<Asked, 'of' | 'from' | 'until' | 'types' | 'outcome'>,
  id: string | null,
): ReplayFilter {
  const { of, from, until, types, outcome } = asked
  const whose = {
    line: { lineId: id ?? '', applicationId: null },
    line_and_applications: { lineId: id ?? '' },
    application: { applicationId: id },
    all: {},
  }[of]
  return {
    ...whose,
    from: new Date(from),
    until: new Date(until),
    outcome,
    ...(types === undefined ? {} : { types }),
  }
}

function wayOf({ url }: Pick<Asked, 'url'>) {
  return url === undefined ? ('endpoints' as const) : ('url' as const)
}

/** The next batch of a replay (`works/run.ts`). @throws UserError when it cannot go on */
export async function replayBatch(context: Context, work: ClaimedWork): Promise<Batch> {
  const asked = work.asked as Asked
  const id = work.lineId ?? work.applicationId
  const { userId } = work
  if (asked.of !== 'all' && userId !== null && id !== null) {
    await requireReceiver(context, { of: asked.of, userId, id }, asked.url !== undefined)
  }
  const filter = filterOf(asked, id)
  const totalCount = work.totalCount ?? (await countAll(context, filter, asked))
  if (work.totalCount === null) await setWorkTotal(context.db, work, totalCount)
  return asked.url === undefined
    ? restartBatch(context, work, filter, asked)
    : postBatch(context, work, filter, { ...asked, url: asked.url })
}

/** Part by part: one statement for all of them could take longer than a statement may. */
async function countAll({ db }: Context, filter: ReplayFilter, asked: Asked): Promise<number> {
  let total = 0
  for (let afterId = FIRST_ID; ;) {
    const { count, lastId } = await countReplayable(db, filter, wayOf(asked), { afterId, limit: MAX_COUNTED })
    total += count
    if (lastId === null || count < MAX_COUNTED) return total
    afterId = lastId
  }
}

/** A second's worth of deliveries get a new round of attempts. */
async function restartBatch(
  { db, queues }: Context,
  work: ClaimedWork,
  filter: ReplayFilter,
  { perSecond }: Asked,
): Promise<Batch> {
  const deliveries = await db.transaction(async (trx) => {
    const replayed = await replayDeliveries(trx, filter, {
      workId: work.id,
      afterId: work.position,
      limit: perSecond,
    })
    const position = replayed.at(-1)?.id ?? work.position
    await advanceWork(trx, work, { position, doneCount: replayed.length })
    return replayed
  })
  await queues.enqueueDeliveries(deliveries)
  return { count: deliveries.length, isLast: deliveries.length < perSecond, waitMs: 1000 }
}

/** An event that a URL does not take gets two more attempts: staging and laptops are started by hand. */
const ATTEMPTS = 3
/** A laptop that is asleep must not keep a place of `maintenance` for longer. */
const TIMEOUT_SECONDS = 10
/** A URL where nothing gets through is given up, instead of being called for days. A batch is no larger. */
const MAX_FAILURES_IN_A_ROW = 10
/** The line has no URL of its own, and so no secret that its developer knows. */
const NO_SECRET = 'no_signing_secret'

async function postBatch(
  context: Context,
  work: ClaimedWork,
  filter: ReplayFilter,
  { url, perSecond }: Asked & { url: string },
): Promise<Batch> {
  const limit = Math.min(perSecond, MAX_FAILURES_IN_A_ROW)
  const events = await listEventsToReplay(context.db, filter, work.position, limit)
  const signerOf = createSigners(context, work)
  const sent = await Promise.all(
    events.map(async (event, n) => {
      await sleep((n * 1000) / perSecond)
      return send(context, event, url, await signerOf(event.lineId))
    }),
  )
  const failures = sent.flatMap(({ failure }) => (failure === null ? [] : [failure]))
  const posted = sent.filter(({ failure }) => failure !== NO_SECRET)
  const lastTaken = posted.findLastIndex(({ failure }) => failure === null)
  const failedInARow = posted.length - 1 - lastTaken + (lastTaken === -1 ? work.failedInARow : 0)
  await context.db.transaction(async (trx) => {
    await insertReplayedEvents(trx, work.id, sent)
    await advanceWork(trx, work, {
      position: events.at(-1)?.position ?? work.position,
      doneCount: sent.length - failures.length,
      failedCount: failures.length,
      failedInARow,
      ...(failures.length === 0 ? {} : { lastFailure: failures.at(-1) ?? '' }),
    })
  })
  return {
    count: sent.length,
    isLast: events.length < limit,
    waitMs: (limit * 1000) / perSecond,
    ...(failedInARow < MAX_FAILURES_IN_A_ROW
      ? {}
      : { error: `the URL did not take ${failedInARow} events one after the other: see what answers there` }),
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
    // They are for the endpoint's server, and often a password of it.
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
    // By default after 1 s and after 5 s.
    await sleep(context.config.deliveryRetryBaseMs / (attempt === 1 ? 5 : 1))
  }
}

type Signer = Pick<EventForEndpoint, 'endpointId' | 'secretSealed' | 'previousSecretSealed' | 'policy'>

/** Whose secret signs: the application's, or that of the event's line, which its developer knows. */
function createSigners(context: Context, work: ClaimedWork): (lineId: string) => Promise<Signer | undefined> {
  const known = new Map<string, Promise<Signer | undefined>>()
  return (lineId) => {
    const key = work.applicationId ?? lineId
    const signer = known.get(key) ?? findSigner(context, work, lineId)
    known.set(key, signer)
    return signer
  }
}

async function findSigner(
  context: Context,
  { applicationId, userId }: ClaimedWork,
  lineId: string,
): Promise<Signer | undefined> {
  const endpointId =
    applicationId !== null && userId !== null
      ? (await getApplication(context, userId, applicationId)).endpointId
      : (await findEndpointsOfLine(context.db, lineId)).find((each) => each.applicationId === null)
          ?.endpointId
  const endpoint = endpointId == null ? undefined : await findEndpoint(context.db, endpointId)
  if (endpointId == null || endpoint === undefined) return undefined
  const { secretSealed, previousSecretSealed, policy } = endpoint
  return { endpointId, secretSealed, previousSecretSealed, policy }
}
