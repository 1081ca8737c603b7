import { Webhook } from 'standardwebhooks'
import type { CarrierClient } from '../../src/carriers/carrier.js'
import { transaction, type Database } from '../../src/database/connection.js'
import type { ClaimedDelivery } from '../../src/database/endpoints/deliveries/delivering.js'
import type { Message } from '../../src/database/messages/message.js'
import { changeCarrierAccount } from '../../src/domain/carriers/accounts/change.js'
import { getCarrierAccount } from '../../src/domain/carriers/carrier-accounts.js'
import type { Context } from '../../src/domain/context.js'
import { deliver, type DeliverOutcome } from '../../src/domain/endpoints/deliveries/deliver.js'
import { postMessage, type NewMessage } from '../../src/domain/messages/post.js'
import { receiveMessage, type InboundMessage } from '../../src/domain/messages/receive.js'
import { sendMessage } from '../../src/domain/messages/send.js'
import type { SendOutcome } from '../../src/domain/messages/send/send-outcome.js'
import { submitToIncomingWebhook, type IncomingWebhookMessage } from '../../src/domain/messages/submit.js'
import { asError, Unavailable } from '../../src/errors.js'
import { newId } from '../../src/ids.js'
import { jobIdOf } from '../../src/queues/jobs.js'
import { startProxy } from '../database/proxy.js'
import { createJoinedContext } from '../helpers/context.js'
import type { TestLine } from '../helpers/factories.js'
import { createTestRedis } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'

/** A row of `messages`, as far as tests look at it. */
export interface MessageRow {
  id: string
  status: string
  error: string | null
  carrier_code: string | null
  carrier_reason: string | null
  text: string | null
  media_urls: string[] | null
  direction: string
  source: string
  from_number: string
  to_number: string
  carrier_message_id: string | null
  attempt_count: number
  claim_id: string | null
  claimed_at: Date | null
  handed_over_at: Date | null
  crash_count: number
  job_generation: number
  due_at: Date
  not_before: Date | null
  lease_until: Date | null
  sent_at: Date | null
  price: string | null
  currency: string | null
  carrier_segment_count: number | null
}

export interface DeliveryRow {
  id: string
  event_id: string
  endpoint_id: string
  status: string
  attempt_count: number
  round_attempt_count: number
  crash_count: number
  lost_count: number
  last_failure: string | null
  job_generation: number
  due_at: Date
  lease_until: Date | null
  delivered_at: Date | null
}

export interface AttemptRow {
  id: string
  attempt_number: number
  duration_ms: number
  response_status: number | null
  response_excerpt: string | null
  body_failure: string | null
  failure: string | null
  next_attempt_at: Date | null
}

/** Limits that no test reaches. */
export const UNLIMITED = { messagesPerNumberPerMinute: 100_000, messagesPerMinute: 100_000 }

export const ANNA = '+15005550101'
export const BEN = '+15005550102'
export const CLEO = '+15005550103'

/**
 * A message that waits to be sent, without the webhook's limits and without a job. Columns can be overridden by
 * their names.
 */
export async function queueMessage(
  { db }: Context,
  line: TestLine,
  overrides: Partial<Record<string, unknown>> = {},
): Promise<string> {
  const id = newId()
  await db('messages').insert({
    id,
    user_id: line.userId,
    line_id: line.lineId,
    direction: 'outbound',
    source: 'webhook',
    from_number: line.number,
    to_number: ANNA,
    text: 'Hello',
    status: 'queued',
    ...overrides,
  })
  return id
}

/** A message that was handed to the line's carrier. @returns its id */
export async function sendNew(
  context: Context,
  line: TestLine,
  overrides: Partial<Record<string, unknown>> = {},
): Promise<string> {
  const id = await queueMessage(context, line, overrides)
  await sendMessage(context, id)
  return id
}

export async function queueMessages(
  context: Context,
  line: TestLine,
  count: number,
  overrides: Partial<Record<string, unknown>> = {},
): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push(await queueMessage(context, line, overrides))
  return ids
}

/** As a worker does before it calls the carrier. @throws Error when the message is not to be had */
export async function claimMessage(
  context: Context,
  id: string,
): Promise<{ claim: string; attempt: number }> {
  const claim = newId()
  const answer = await context.batched.claimMessage({ id, claim, placesAt: 'simulator' })
  if (answer.kind !== 'claimed') throw new Error(`not claimed: ${answer.kind}`)
  return { claim, attempt: answer.attempt }
}

/** As the job of a message that waits does when its time has come. */
export async function sendWhenDue(context: Context, id: string): Promise<SendOutcome> {
  await context.db('messages').where({ id }).update({ not_before: null })
  return sendMessage(context, id)
}

/** As the job of a delivery that waits does when its time has come. */
export async function deliverWhenDue(
  context: Context,
  id: string,
  endpointId: string,
): Promise<DeliverOutcome> {
  await context.db('deliveries').where({ id, status: 'pending' }).update({ due_at: context.db.fn.now() })
  return deliver(context, id, endpointId)
}

/** As a worker does before it calls the endpoint. undefined: it is not to be had. */
export async function claimDelivery(context: Context, id: string): Promise<ClaimedDelivery | undefined> {
  const { endpoint_id: endpointId } = await deliveryRow(context, id)
  return (await context.batched.deliverNext({ endpointId, places: 1, deliveryId: id })).deliveries[0]
}

/** A picture or a voicemail that a carrier has at this URL. */
export function mediaAt(
  url: string,
  type: 'inboundMedia' | 'voiceMail' = 'inboundMedia',
): InboundMessage['content'] {
  return type === 'voiceMail' ? { type, url } : { type, urls: [url] }
}

/** What a carrier brings to a line; by default a text from ANNA. */
export function inboundText(
  line: Pick<TestLine, 'number'>,
  overrides: Partial<InboundMessage> = {},
): InboundMessage {
  return {
    carrierAccount: 'simulator',
    carrierMessageId: newId(),
    fromNumber: ANNA,
    toNumber: line.number,
    content: { type: 'inboundText', text: 'Hi there' },
    ...overrides,
  }
}

/** The line receives a text; gives the one delivery that comes of it. */
export async function receiveForDelivery(context: Context, line: TestLine): Promise<DeliveryRow> {
  const outcome = await receiveMessage(context, inboundText(line))
  if (outcome.kind !== 'received') throw new Error('the carrier id was not new')
  const delivery: DeliveryRow | undefined = await context
    .db('deliveries as d')
    .join('events as e', 'e.id', 'd.event_id')
    .where({ 'e.message_id': outcome.messageId })
    .first<DeliveryRow | undefined>('d.*')
  if (delivery === undefined) throw new Error('no delivery was made')
  return delivery
}

export async function receiveManyForDelivery(
  context: Context,
  line: TestLine,
  count: number,
): Promise<DeliveryRow[]> {
  const deliveries: DeliveryRow[] = []
  for (let n = 0; n < count; n += 1) deliveries.push(await receiveForDelivery(context, line))
  return deliveries
}

export async function messageRow({ db }: { db: Database }, id: string): Promise<MessageRow> {
  const row = await db('messages').where({ id }).first<MessageRow | undefined>()
  if (row === undefined) throw new Error(`no message ${id}`)
  return row
}

export async function deliveryRow({ db }: { db: Database }, id: string): Promise<DeliveryRow> {
  const row = await db('deliveries').where({ id }).first<DeliveryRow | undefined>()
  if (row === undefined) throw new Error(`no delivery ${id}`)
  return row
}

export async function attemptRows({ db }: { db: Database }, deliveryId: string): Promise<AttemptRow[]> {
  return db('delivery_attempts')
    .where({ delivery_id: deliveryId })
    .orderBy(['attempt_number', 'id'])
    .select<AttemptRow[]>()
}

/** Ids of our messages in the order in which the simulator took them. */
export async function takenMessages({ db }: { db: Database }, toNumber?: string): Promise<string[]> {
  return db('simulator_outbox')
    .modify((query) => {
      if (toNumber !== undefined) void query.where({ to_number: toNumber })
    })
    .orderBy('carrier_message_id')
    .pluck<string[]>('message_id')
}

export async function countRows({ db }: { db: Database }, table: string): Promise<number> {
  const [row] = await db(table).count<{ count: string }[]>()
  return Number(row?.count)
}

/** Waits until so many statements wait for locks that others have. */
export const untilLocked = ({ db }: { db: Database }, count = 1): Promise<boolean> =>
  until('it waits for a lock', async () => (await countWaitingForLocks({ db })) >= count)

/** How many statements wait for a lock that another has. */
export async function countWaitingForLocks({ db }: { db: Database }): Promise<number> {
  const waiting = await db('pg_stat_activity')
    .where({ datname: db.raw('current_database()'), wait_event_type: 'Lock' })
    .pluck<number[]>('pid')
  return waiting.length
}

/**
 * The first has done everything but its entry in the audit log when the second begins, and is committed only once the
 * second waits, for what the first has locked or for the log too.
 *
 * @returns what the second was refused with, if it was; the first must not be
 */
export async function overlap(
  { db }: { db: Database },
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<unknown> {
  const { both } = await transaction(db, async (trx) => {
    await trx.raw('lock table audit_log in exclusive mode')
    const begun: Promise<unknown>[] = []
    for (const act of [first, second]) {
      begun.push(act())
      await until('it waits', async () => (await countWaitingForLocks({ db })) === begun.length)
    }
    return { both: Promise.allSettled(begun) }
  })
  const [one, other] = await both
  if (one?.status === 'rejected') throw asError(one.reason)
  return other?.status === 'rejected' ? other.reason : undefined
}

/** While `work` runs, Postgres has no room for statements of one kind, such as `update on deliveries`. */
export async function withoutRoom<Result>(
  { db }: { db: Database },
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await db.raw(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'no room' using errcode = '53100'; end $$`)
  await db.raw(`create trigger fail before ${what} execute function fail()`)
  try {
    return await work()
  } finally {
    await db.raw('drop function fail cascade')
  }
}

/** Its Postgres goes away right after the next transaction is committed. */
export function awayAfterCommit(context: Context): Context {
  let isAway = false
  const refuseWhenAway = () => {
    if (isAway) throw new Unavailable('gone')
  }
  const db = new Proxy(context.db, {
    apply: (target, _, args: [never]) => {
      refuseWhenAway()
      return target(...args)
    },
    get: (target, name) => {
      refuseWhenAway()
      if (name !== 'transaction') return Reflect.get(target, name) as unknown
      return async (...args: Parameters<typeof target.transaction>) => {
        const result: unknown = await target.transaction(...args)
        isAway = true
        return result
      }
    },
  })
  return { ...context, db }
}

/** Milliseconds from now, by Postgres's clock, until a row's due_at. */
export async function dueInMs(
  { db }: { db: Database },
  table: 'messages' | 'deliveries',
  id: string,
): Promise<number> {
  const row = await db(table)
    .where({ id })
    .first<{ ms: number }>(db.raw('(extract(epoch from due_at - clock_timestamp()) * 1000)::float8 as ms'))
  return row.ms
}

/** A job for all that is due to an endpoint. */
export async function hasLaneJob({ queues }: Context, endpointId: string): Promise<boolean> {
  const jobs = await queues.deliverEvent.getJobs(['waiting', 'delayed'])
  return jobs.some(({ id }) => id?.startsWith(`lane-${endpointId}`))
}

/** Milliseconds until a row is due, from a moment of ours: Postgres is on this machine and has the same clock. */
export async function dueAfterMs(
  { db }: { db: Database },
  table: 'messages' | 'deliveries',
  id: string,
  since: number,
): Promise<number> {
  const row = await db(table).where({ id }).first<{ due_at: Date }>('due_at')
  return row.due_at.getTime() - since
}

export function hasMessageJob({ queues }: Context, id: string, generation: number): Promise<boolean> {
  return queues.sendMessage.getJob(jobIdOf(id, generation)).then((job) => job !== undefined)
}

export function hasDeliveryJob({ queues }: Context, id: string, generation: number): Promise<boolean> {
  return queues.deliverEvent.getJob(jobIdOf(id, generation)).then((job) => job !== undefined)
}

/** To an account that is no simulator's. */
export async function moveToAnotherCarrier({ db }: Context, { lineId }: TestLine): Promise<void> {
  const account = { id: newId(), name: 'another', kind: 'another' }
  await db('carrier_accounts').insert(account).onConflict('name').ignore()
  await db('lines').where({ id: lineId }).update({ carrier: 'another' })
}

/** The same context, with one carrier that does what the test says, under every name. */
export function withCarrier(context: Context, send: CarrierClient['send']): Context {
  return withCarrierOf(context, { send })
}

/** The same for what a carrier does besides. It sends nothing unless the test says how. */
export function withCarrierOf(context: Context, parts: Partial<CarrierClient>): Context {
  const get = ({ name }: { name: string }) =>
    Promise.resolve({
      ...{ name, test: () => Promise.resolve(undefined), close: () => Promise.resolve() },
      send: () => Promise.reject(new Error('it sends nothing')),
      ...parts,
    })
  return { ...context, carriers: { ...context.carriers, get, close: () => Promise.resolve() } }
}

/** The lease of a row that is worked on ended a second ago: its worker is gone. */
export async function loseWorker(
  { db }: { db: Database },
  table: 'messages' | 'deliveries',
  ids: readonly string[],
): Promise<void> {
  await db(table)
    .whereIn('id', ids)
    .update({ lease_until: db.raw(`now() - interval '1 second'`) })
}

/** Rows are due since so long. */
export async function makeOverdue(
  { db }: { db: Database },
  table: 'messages' | 'deliveries',
  ids: readonly string[],
  seconds = 10,
): Promise<void> {
  await db(table)
    .whereIn('id', ids)
    .update({ due_at: db.raw(`now() - make_interval(secs => ?)`, [seconds]) })
}

/** The reasons that the line's events `messageStatus` give, oldest first. */
export async function toldReasons({ db }: Context, lineId: string): Promise<(string | null)[]> {
  const payloads = await db('events')
    .where({ line_id: lineId, type: 'messageStatus' })
    .orderBy('id')
    .pluck<string[]>('payload')
  return payloads.map((payload) => (JSON.parse(payload) as { carrierReason: string | null }).carrierReason)
}

/** Rows of a table become so: the one of an id, or those that have these columns. */
export async function changeRows(
  { db }: { db: Database },
  table: string,
  which: string | object,
  columns: object,
): Promise<void> {
  await db(table)
    .where(typeof which === 'string' ? { id: which } : which)
    .update(columns)
}

/** As many more of a line's events that did not arrive, as this one. */
export async function addUndelivered(
  { db }: { db: Database },
  { event_id: eventId, id }: DeliveryRow,
  count: number,
): Promise<void> {
  await db.raw(
    `with made as (
       insert into events (id, user_id, line_id, type, payload, from_number, to_number)
       select new_id(), user_id, line_id, type, payload, from_number, to_number
       from events, generate_series(1, :count::integer) where id = :eventId returning id)
     insert into deliveries (id, user_id, line_id, event_id, endpoint_id, status, type, from_number, last_failure)
     select new_id(), user_id, line_id, made.id, endpoint_id, 'exhausted', type, from_number, 'http_500'
     from deliveries d, made where d.id = :id`,
    { eventId, id, count },
  )
}

/**
 * So many more rows like one that is there, with ids of their own. What else differs is written in SQL, in which n
 * counts them from 1 and `o` is the row.
 */
export async function addCopies(
  { db }: { db: Database },
  table: 'messages' | 'deliveries',
  id: string,
  count: number,
  columns: Record<string, string> = {},
): Promise<void> {
  const places = table === 'messages' ? { position: `nextval('message_positions')` } : {}
  const differing = Object.entries({ id: 'new_id()', ...places, ...columns })
  // With n among its arguments a copy is made for each n, and not once for all.
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `insert into ?? select copy.* from ?? o, generate_series(1, ?::integer) n, lateral jsonb_populate_record(o,
       jsonb_build_object('n', n, ${differing.map(([name, sql]) => `'${name}', ${sql}`).join()})) copy where o.id = ?`,
    [table, table, count, id],
  )
  if (rowCount !== count) throw new Error(`${rowCount} instead of ${count} copies were made`)
}

/** What a user sends from a line; by default a text to ANNA. */
export function post(
  context: Context,
  { userId, lineId }: Pick<TestLine, 'userId' | 'lineId'>,
  overrides: Partial<NewMessage> = {},
): Promise<Message> {
  const to = { userId, applicationId: undefined, lineId, toNumber: ANNA }
  return postMessage(context, { ...to, text: 'Hello', idempotencyKey: undefined, ...overrides })
}

/** The context of another process of the service, whose Redis is away. The caller closes it. */
export async function createWithoutRedis(first: Context): Promise<Context> {
  const proxy = await startProxy(await createTestRedis())
  const context = await createJoinedContext(first, { REDIS_URL: proxy.url })
  const close = async () => {
    await context.close()
    await proxy.close()
  }
  proxy.goDown()
  try {
    await until('the connection is lost', () => context.redis.status !== 'ready')
  } catch (error) {
    await close()
    throw error
  }
  return { ...context, close }
}

export async function changeSettings(
  context: Context,
  name: string,
  settings: Record<string, unknown>,
): Promise<void> {
  await changeCarrierAccount(context, await getCarrierAccount(context, name), { settings })
}

/** A carrier account calls the message so too. */
export async function nameAtCarrier(
  { db }: { db: Database },
  messageId: string,
  carrierMessageId: string,
  carrier = 'simulator',
): Promise<void> {
  const name = { carrier, carrier_message_id: carrierMessageId, message_id: messageId }
  await db('carrier_message_ids').insert(name)
}

/** A moment of Postgres's clock, for a column: so long ago. */
export const ago = ({ db }: { db: Database }, interval: string) => db.raw('now() - ?::interval', [interval])

export const ahead = ({ db }: { db: Database }, interval: string) => db.raw('now() + ?::interval', [interval])

/** A message that a line receives, which is no repeat. @returns its id */
export async function receiveNew(context: Context, line: TestLine, overrides: Partial<InboundMessage> = {}) {
  const outcome = await receiveMessage(context, inboundText(line, overrides))
  if (outcome.kind !== 'received') throw new Error(`it was no new message: ${outcome.kind}`)
  return outcome.messageId
}

/** What a program hands to the incoming webhook of a line; by default a text to ANNA. */
export async function submit(
  context: Context,
  lineId: string,
  overrides: Partial<IncomingWebhookMessage> = {},
) {
  const webhook = await context.batched.findOpenIncomingWebhook(lineId)
  if (webhook === undefined) throw new Error(`the incoming webhook of ${lineId} is not open`)
  const message = { toNumber: ANNA, text: 'Hello', idempotencyKey: undefined, ...overrides }
  return submitToIncomingWebhook(context, webhook, message)
}

/** What a receiver makes of a request: its event, which is signed with this secret. @throws Error when it is not */
export function verifyEvent(request: { body: string; headers: object } | undefined, secret: string): unknown {
  if (request === undefined) throw new Error('there was no request')
  const { body, headers } = request
  return new Webhook(secret).verify(body, headers as Record<string, string>)
}

/** The six fields of the event of `inboundText`. */
export const textEventOf = ({ userId, lineId, number }: TestLine) => ({
  ...{ type: 'inboundText', payload: 'Hi there', fromNumber: ANNA, toNumber: number, userId, lineId },
})

/** What came of a received message, in the order of the deliveries. */
export function deliveriesOf({ db }: { db: Database }, messageId: string): Promise<DeliveryRow[]> {
  return db('deliveries as d')
    .join('events as e', 'e.id', 'd.event_id')
    .where({ 'e.message_id': messageId })
    .orderBy('d.id')
    .select<DeliveryRow[]>('d.*')
}
