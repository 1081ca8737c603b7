import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import {
  countReplay,
  findMissed,
  startReplay,
  type ReplayOf,
  type ReplayRequest,
} from '../../../../src/domain/endpoints/deliveries/replay.js'
import { endAuthorizations } from '../../../../src/domain/applications/authorizations.js'
import { addEndpoint, changeEndpoint, deleteEndpoint } from '../../../../src/domain/endpoints/endpoints.js'
import { changePolicy } from '../../../../src/domain/endpoints/policies.js'
import { disableConnection } from '../../../../src/domain/lines/connections.js'
import { revealSigningSecret } from '../../../../src/domain/endpoints/signing-secrets.js'
import { DatabaseUnavailable } from '../../../../src/database/outage.js'
import { Unavailable } from '../../../../src/errors.js'
import { newId } from '../../../../src/ids.js'
import { MAX_CRASHES } from '../../../../src/domain/crashes.js'
import { disableUser } from '../../../../src/domain/people/disabled-users.js'
import { describeJobs } from '../../../../src/domain/job-subjects.js'
import { sweep } from '../../../../src/domain/sweep.js'
import { renewLeases } from '../../../../src/database/claims.js'
import { claimTask, recordTaskCrash } from '../../../../src/database/operating/tasks.js'
import { getTask, stopTask } from '../../../../src/domain/operating/tasks.js'
import { continueTask } from '../../../../src/domain/operating/tasks/run.js'
import { jobIdOf } from '../../../../src/queues/jobs.js'
import { createJoinedContext, describeContext } from '../../../helpers/context.js'
import { createLine, lineForEachTest, own } from '../../../helpers/factories.js'
import { failure } from '../../../helpers/failure.js'
import { memoryLog } from '../../../helpers/process/log.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { until } from '../../../helpers/until.js'
import { openForEachTest } from '../../../helpers/suite.js'
import {
  awayAfterCommit,
  verifyEvent,
  changeRows,
  deliveriesOf,
  deliverWhenDue,
  deliveryRow,
  mediaAt,
  overlap,
  receiveForDelivery,
  receiveNew,
  type DeliveryRow,
} from '../../fixtures.js'
import { expectRefusal } from '../../refusal.js'
import { connect, createApplication } from '../../applications/applications.js'
import { goOn } from '../../operating/tasks.js'

describeContext('replaying events', (context) => {
  const receiver = openForEachTest(startReceiver)
  const target = openForEachTest(startReceiver)
  let deliveries: DeliveryRow[]

  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))
  beforeEach(async () => {
    deliveries = []
    for (let n = 0; n < 3; n += 1) deliveries.push(await receiveForDelivery(context, line))
  })

  const of = ({ userId, endpointId } = line): ReplayOf => ({
    of: 'endpoint',
    caller: { userId },
    endpointId,
    userId,
  })
  const lastMinute = () => ({
    from: new Date(Date.now() - 60_000),
    until: new Date(Date.now() + 60_000),
    perSecond: 100,
  })
  const start = (more: Partial<ReplayRequest> = {}, whose = of()) =>
    startReplay(context, whose, { ...lastMinute(), ...more })
  const count = (more: Partial<ReplayRequest> = {}, whose = of()) =>
    countReplay(context, whose, { ...lastMinute(), ...more })
  const deliverAll = async () => {
    for (const { id, endpoint_id: endpointId } of deliveries) await deliver(context, id, endpointId)
  }
  const rows = () => Promise.all(deliveries.map(({ id }) => deliveryRow(context, id)))
  /** In which the next batch ends in this error, a bug if it is left out. */
  const crashing = (error = new Error('a bug')): typeof context => {
    let isOver = false
    return {
      ...context,
      queues: context.queues,
      db: new Proxy(context.db, {
        get: (db, name) => {
          if (name !== 'transaction' || isOver) return Reflect.get(db, name) as unknown
          isOver = true
          return () => Promise.reject(error)
        },
      }),
    }
  }
  const statuses = async () => (await rows()).map(({ status }) => status)
  const set = (n: number, columns: object) => changeRows(context, 'deliveries', deliveries[n]!.id, columns)

  it('is of the events of a time range by the times they show, not by those in their ids', async () => {
    await deliverAll()
    const until = new Date(Date.now() - 30_000)
    const from = new Date(until.getTime() - 1)
    await set(0, { created_at: from, status: 'exhausted' })
    await set(1, { created_at: until })
    expect((await count({ from, until })).count).to.equal(1)
    expect((await findMissed(context, of()))?.since).to.deep.equal(from)
    expect((await count({ from: until, until: new Date(until.getTime() + 1) })).count).to.equal(1)
    await changeRows(context, 'events', deliveries[2]!.event_id, { created_at: from })
    expect((await count({ from, until, url: target.url })).count).to.equal(1)
  })

  it('gives each delivery a new round: the same webhook-id, and webhook-replay', async () => {
    await deliverAll()
    expect(receiver.requests[0]?.headers).not.to.have.property('webhook-replay')
    await set(1, { status: 'delivering' })
    const work = await start()
    expect(work).to.include({ kind: 'replay', status: 'waiting', totalCount: 2, lineId: line.lineId })
    expect(await goOn(context, work)).to.include({
      status: 'done',
      totalCount: 2,
      doneCount: 2,
      failedCount: 0,
    })
    expect(await statuses()).to.deep.equal(['pending', 'delivering', 'pending'])
    await deliver(context, deliveries[0]!.id, deliveries[0]!.endpoint_id)
    expect(receiver.requests.at(-1)?.headers).to.include({
      'webhook-id': deliveries[0]!.event_id,
      'webhook-replay': 'true',
    })
  })

  it('of one endpoint of several: only what went there, and to another URL signed with its secret', async () => {
    const { userId, lineId } = line
    const { endpoint } = await addEndpoint(context, userId, { lineId }, { url: target.url })
    const { event_id: eventId } = await receiveForDelivery(context, line)
    const second = (endpointId = endpoint.id) => of({ ...line, endpointId })
    await expectRefusal(count({}, second(newId())), 404)
    const deliveriesOfEvent = await context
      .db('deliveries')
      .where({ event_id: eventId })
      .select('id', 'endpoint_id')
    for (const { id, endpoint_id } of deliveriesOfEvent)
      await deliver(context, id as string, endpoint_id as string)
    expect(await count({}, second())).to.deep.equal({ count: 1, isMore: false })
    await goOn(context, await start({ url: `${target.url}/staging` }, second()))
    const replayed = target.requests.at(-1)
    expect(replayed?.headers).to.have.property('webhook-replay', 'true')
    const secret = await revealSigningSecret(context, { userId }, endpoint.id)
    expect(verifyEvent(replayed, secret)).to.include({ type: 'inboundText' })
  })

  it('of those that nobody got: also what waits for its next attempt, and nothing that goes out by itself', async () => {
    const soon = new Date(Date.now() + 3_600_000)
    await set(0, { status: 'exhausted', attempt_count: 10, round_attempt_count: 10 })
    await set(1, { status: 'pending', attempt_count: 7, round_attempt_count: 7, due_at: soon })
    await set(2, { status: 'held', last_failure: 'media_timeout' })
    deliveries.push(await receiveForDelivery(context, line))
    expect(await count({ outcome: 'undelivered' })).to.deep.equal({ count: 2, isMore: false })
    expect(await count({ outcome: 'delivered' })).to.deep.equal({ count: 0, isMore: false })
    await goOn(context, await start({ outcome: 'undelivered' }))
    expect(
      (await rows()).map((row) => [row.status, row.round_attempt_count, row.job_generation]),
    ).to.deep.equal([
      ['pending', 0, 1],
      ['pending', 0, 1],
      ['held', 0, 0],
      ['pending', 0, 0],
    ])
    const { id, endpoint_id: endpointId } = deliveries[1]!
    expect((await deliverWhenDue(context, id, endpointId)).kind).to.equal('delivered')
    expect(await count({ outcome: 'delivered' })).to.deep.equal({ count: 1, isMore: false })
    expect(await count({ outcome: 'delivered', types: ['voiceMail'] })).to.deep.equal({
      count: 0,
      isMore: false,
    })
  })

  it('of a line leaves out receivers that are gone: what they got stays delivered', async () => {
    const { userId, lineId } = line
    const ofLine: ReplayOf = { of: 'line', userId, lineId }
    const { endpoint } = await addEndpoint(context, userId, { lineId }, { url: target.url })
    const stays = await createApplication(context, { webhookUrl: target.url })
    const ends = await createApplication(context, { webhookUrl: target.url })
    for (const application of [stays, ends]) await connect(context, application, line)
    const messageId = await receiveNew(context, line)
    for (const { id, endpoint_id: endpointId } of await deliveriesOf(context, messageId)) {
      await deliver(context, id, endpointId)
    }
    expect(await count({ outcome: 'delivered' }, ofLine)).to.include({ count: 4 })
    await deleteEndpoint(context, { userId }, endpoint.id)
    await endAuthorizations(context, userId, ends.id, lineId)
    expect(await count({ outcome: 'delivered' }, ofLine)).to.include({ count: 2 })
    const task = await start({ outcome: 'delivered' }, ofLine)
    expect(await goOn(context, task)).to.include({ totalCount: 2, doneCount: 2 })
    const states = (await deliveriesOf(context, messageId)).map((row) => [row.endpoint_id, row.status])
    expect(states).to.have.deep.members([
      [line.endpointId, 'pending'],
      [stays.endpointId, 'pending'],
      [ends.endpointId, 'delivered'],
      [endpoint.id, 'delivered'],
    ])
  })

  it('of a line leaves out endpoints that are disabled, and is refused if all are', async () => {
    const { userId, lineId } = line
    const ofLine: ReplayOf = { of: 'line', userId, lineId }
    const { endpoint } = await addEndpoint(context, userId, { lineId }, { url: target.url })
    const messageId = await receiveNew(context, line)
    for (const each of await deliveriesOf(context, messageId))
      await deliver(context, each.id, each.endpoint_id)
    const disable = (id: string) => changeRows(context, 'endpoints', id, { disabled_at: new Date() })
    await disable(endpoint.id)
    const task = await start({ outcome: 'delivered' }, ofLine)
    expect(await goOn(context, task)).to.include({ totalCount: 1, doneCount: 1 })
    const states = (await deliveriesOf(context, messageId)).map((row) => [row.endpoint_id, row.status])
    expect(states).to.have.deep.members([
      [line.endpointId, 'pending'],
      [endpoint.id, 'delivered'],
    ])
    await disable(line.endpointId)
    const isDisabled = 'The endpoint is disabled. Enable it first, or give another URL'
    await expectRefusal(count({}, ofLine), 409, isDisabled)
    expect(await count({ url: target.url }, ofLine)).to.include({ count: 4 })
    expect(await count({}, { of: 'all' })).to.include({ isMore: false })
  })

  it('leaves out deliveries whose event retention has deleted: what they got stays delivered', async () => {
    await deliverAll()
    await context.db('events').where({ id: deliveries[1]!.event_id }).delete()
    expect(await count()).to.include({ count: 2 })
    await goOn(context, await start())
    expect(await statuses()).to.deep.equal(['pending', 'delivered', 'pending'])
  })

  it('to another URL: the same events, signed, and neither deliveries nor the health of the endpoint change', async () => {
    receiver.answerWith((response) => response.writeHead(500).end())
    await deliverAll()
    const before = [await rows(), await context.db('endpoints').orderBy('id')]
    const work = await goOn(context, await start({ url: target.url, outcome: 'undelivered' }))
    expect(work).to.include({ status: 'done', doneCount: 3, failedCount: 0 })
    expect(target.requests.map(({ headers }) => headers['webhook-id'])).to.have.members(
      deliveries.map(({ event_id }) => event_id),
    )
    expect(target.requests[0]?.headers['webhook-replay']).to.equal('true')
    verifyEvent(target.requests[0], line.signingSecret)
    expect([await rows(), await context.db('endpoints').orderBy('id')]).to.deep.equal(before)
    expect(await context.db('replayed_events').where({ task_id: work.id })).to.have.length(3)
  })

  it('to another URL is left to the last process that claimed it, even if an earlier one is done later', async () => {
    const work = await start({ url: target.url })
    const held: ServerResponse[] = []
    let calls = 0
    target.answerWith((response) => {
      calls += 1
      if (calls > 3) response.end()
      else held.push(response)
    })
    const late = continueTask(context, work.id, () => Promise.resolve())
    await until('it calls the URL', () => calls === 3)
    await changeRows(context, 'tasks', work.id, { lease_until: new Date(0) })
    expect(await goOn(context, work)).to.include({ status: 'done', doneCount: 3 })
    for (const response of held) response.end()
    expect(await late, 'it looks once more').to.be.above(0)
    expect(await context.db('replayed_events').where({ task_id: work.id })).to.have.length(3)
  })

  it('to another URL leaves out types that the endpoint does not get, unless they are named, and media without a copy', async () => {
    const setEvent = (n: number, type: string) =>
      changeRows(context, 'events', deliveries[n]!.event_id, { type })
    await setEvent(0, 'voiceMail')
    await setEvent(1, 'messageStatus')
    await context.db('deliveries').where({ line_id: line.lineId }).delete()
    await receiveNew(context, line, { content: mediaAt('http://127.0.0.1:9/picture') })
    const { url } = target
    expect((await count({ url })).count).to.equal(2)
    await changePolicy(context, ...own(line), { declinedEvents: ['voiceMail'] })
    expect((await count({ url })).count).to.equal(1)
    for (const type of ['voiceMail', 'messageStatus'] as const) {
      expect((await count({ url, types: [type] })).count, type).to.equal(1)
    }
    await changeEndpoint(context, ...own(line), { optInEvents: ['messageStatus'] })
    expect((await count({ url })).count).to.equal(2)
    await context.db('media').where({ line_id: line.lineId }).update({ status: 'stored' })
    expect((await count({ url })).count).to.equal(3)
  })

  it('to a URL waits ten seconds for each answer, whatever an endpoint may take', async () => {
    const timeouts: (number | undefined)[] = []
    const { safeFetch } = context
    const request: typeof safeFetch.request = (url, options) => {
      timeouts.push(options?.timeoutMs)
      return safeFetch.request(url, options)
    }
    const watched = { ...context, safeFetch: { ...safeFetch, request } }
    expect(await goOn(watched, await start({ url: target.url }))).to.include({ doneCount: 3 })
    expect(timeouts).to.deep.equal([10_000, 10_000, 10_000])
  })

  it('a URL gets three attempts of each event, and is given up when ten in a row failed', async () => {
    const statusesToGive = [500, 503]
    target.answerWith((response) => response.writeHead(statusesToGive.shift() ?? 200).end())
    await context.db('events').whereNot({ id: deliveries[0]!.event_id }).delete()
    const patient = { ...context, config: { ...context.config, deliveryRetryBaseMs: 5 } }
    const work = await goOn(patient, await start({ url: target.url }))
    expect(work).to.include({ status: 'done', doneCount: 1 })
    const sent = context.db('replayed_events').where({ task_id: work.id })
    expect(await sent.first('attempt_count', 'failure', 'response_status')).to.deep.equal({
      attempt_count: 3,
      failure: null,
      response_status: 200,
    })
    target.answerWith((response) => response.destroy())
    for (let n = 0; n < 11; n += 1) await receiveForDelivery(context, line)
    expect(await goOn(patient, await start({ url: target.url }))).to.include({
      status: 'failed',
      totalCount: 12,
      doneCount: 0,
      failedCount: 10,
      error: 'The URL rejected 10 events in a row. Check the server there',
    })
  })

  it('goes through the guarded door, and says what is wrong with what was asked', async () => {
    const inside = start({ url: 'http://10.0.0.1/events' })
    await expectRefusal(inside, 400, /^url: The address 10\.0\.0\.1 is not on the public internet/)
    await expectRefusal(start({ perSecond: 0 }), 400)
    await expectRefusal(start({ from: new Date(Date.now() + 120_000) }), 400)
    const other = await createLine(context)
    for (const whose of [
      of({ ...line, userId: other.userId }),
      { of: 'line', userId: other.userId, lineId: line.lineId } as const,
    ]) {
      await expectRefusal(start({}, whose), 404)
    }
    await disableConnection(context, line.userId, line.lineId)
    await expectRefusal(start(), 409)
  })

  it('goes on behind what is done, whoever does it; and only the last who claimed it writes', async () => {
    await deliverAll()
    const work = await start({ perSecond: 1 })
    await goOn(context, work, 2)
    // A process that was killed in a batch: its lease is over.
    await changeRows(context, 'tasks', work.id, { lease_until: new Date(0) })
    expect(await goOn(context, work)).to.include({ status: 'done', doneCount: 3 })
    expect((await rows()).map(({ job_generation: generation }) => generation)).to.deep.equal([1, 1, 1])

    const next = await start({ perSecond: 1, outcome: 'any' })
    await deliverAll()
    const stolen: typeof context = {
      ...context,
      queues: context.queues,
      db: new Proxy(context.db, {
        get: (db, name) =>
          name !== 'transaction'
            ? (Reflect.get(db, name) as unknown)
            : async (...args: Parameters<typeof db.transaction>) => {
                await db('tasks').where({ id: next.id }).increment('claim_count', 1)
                return db.transaction(...args)
              },
      }),
    }
    expect(await continueTask(stolen, next.id, () => Promise.resolve())).to.be.above(0)
    expect((await rows()).map(({ job_generation: generation }) => generation)).to.deep.equal([1, 1, 1])
    expect(await getTask(context, undefined, next.id)).to.include({ status: 'running', doneCount: 0 })
  })

  it('gets a new job from the sweep when Redis has lost it, and is given up when it crashes again and again', async () => {
    await deliverAll()
    const work = await start({ perSecond: 1 })
    await until('it has its job', () => context.queues.maintenance.getJob(work.id))
    await sweep(context)
    await context.queues.maintenance.obliterate({ force: true })
    await changeRows(context, 'tasks', work.id, { due_at: new Date(Date.now() - 10_000) })
    await sweep(context)
    expect((await context.queues.maintenance.getJob(jobIdOf(work.id, 1)))?.data).to.include({ id: work.id })
    await goOn(context, work, 1)
    expect([...(await describeJobs(context, 'maintenance', [work.id]))]).to.deep.equal([
      [work.id, 'replay, 1 of 3: running'],
    ])
    const { log, lines } = memoryLog()
    for (let n = 0; n < MAX_CRASHES; n += 1) {
      const error: unknown = await goOn({ ...crashing(), log }, work, 1).catch((error: unknown) => error)
      expect(error).to.have.property('message', 'a bug')
    }
    expect(await getTask(context, undefined, work.id)).to.include({
      status: 'failed',
      doneCount: 1,
      error: 'It failed unexpectedly. Check the log of `maintenance`',
    })
    expect(lines.map(({ msg, taskId, status }) => [msg, taskId, status])).to.deep.equal([
      ['task.ended', work.id, 'failed'],
    ])
  })

  it('is given up when Postgres takes too long for the same batch again and again', async () => {
    await deliverAll()
    const { id } = await start({ perSecond: 1 })
    await goOn(context, { id }, 1)
    const slow = new DatabaseUnavailable('busy', Object.assign(new Error('canceled'), { code: '57014' }))
    for (let n = 0; n < MAX_CRASHES; n += 1) {
      expect(await getTask(context, undefined, id)).to.include({ status: 'running', doneCount: 1 })
      expect(await failure(goOn(crashing(slow), { id }, 1))).to.equal(slow)
    }
    expect(await getTask(context, undefined, id)).to.include({
      status: 'failed',
      error:
        'Postgres took too long for the same part of it each time. Check the load of Postgres, or start a smaller task',
    })
  })

  describe('while the processes that continue it are killed', () => {
    // One of an earlier test may seem to run.
    beforeEach(() => context.db('tasks').delete())

    /** A process claims it, and is killed. */
    const lose = async (id: string) => {
      await changeRows(context, 'tasks', id, { due_at: new Date(0) })
      expect(await claimTask(context.db, id, 60_000)).to.include({ id })
      await changeRows(context, 'tasks', id, { lease_until: new Date(0) })
    }
    const continueOnce = (id: string, by = context) => continueTask(by, id, () => Promise.resolve())

    it('is given up after a few in a row, and a batch that succeeds begins the count again', async () => {
      await deliverAll()
      const { id } = await start({ perSecond: 1 })
      for (let n = 0; n < MAX_CRASHES - 1; n += 1) await lose(id)
      expect(await goOn(context, { id }, 1)).to.include({ status: 'running', doneCount: 1 })
      for (let n = 0; n < MAX_CRASHES; n += 1) await lose(id)
      const { log, lines } = memoryLog()
      expect(await goOn({ ...context, log }, { id }, 1)).to.include({
        status: 'failed',
        doneCount: 1,
        error: 'Its process ended unexpectedly each time. Check the memory and the log of `maintenance`',
      })
      expect(lines.map(({ msg, status }) => [msg, status])).to.deep.equal([['task.ended', 'failed']])
    })

    it('runs while no other one does that lost its process: any of them may be what kills it', async () => {
      await deliverAll()
      const tasks = [await start({ perSecond: 1 }), await start({ perSecond: 1 })]
      const [first, second] = tasks.map(({ id }) => id) as [string, string]
      await lose(first)
      await lose(second)
      expect(await claimTask(context.db, first, 60_000)).to.include({ id: first, lostCount: 1 })
      expect(await continueOnce(second)).to.equal(1000)
      expect(await getTask(context, undefined, second)).to.include({ doneCount: 0 })

      const unknown = await start({ perSecond: 1 })
      await continueOnce(unknown.id)
      expect(await getTask(context, undefined, unknown.id)).to.include({ doneCount: 1 })

      await changeRows(context, 'tasks', first, { lease_until: new Date(0) })
      await continueOnce(first)
      await continueOnce(second)
      expect(await getTask(context, undefined, first)).to.include({ status: 'running', doneCount: 1 })
    })

    it('has not lost one whose lease is to be renewed when its batch has just ended', async () => {
      await deliverAll()
      const { id } = await start({ perSecond: 1 })
      await continueOnce(id)
      await renewLeases(context.db, 'tasks', [{ id, attempt: 1 }], 60_000)
      expect(await context.db('tasks').where({ id }).first('status', 'lease_until')).to.deep.equal({
        status: 'running',
        lease_until: null,
      })
    })

    it('has not lost one that stops during a batch, and records nothing more of that', async () => {
      await deliverAll()
      target.answerWith(() => undefined)
      const { id } = await start({ url: target.url })
      const stopping = await createJoinedContext(context, { DELIVERY_RETRY_BASE_MS: '100' })
      const batch = continueOnce(id, stopping).catch(() => undefined)
      await until('it is under way', () => target.requests.length === 3)
      await stopping.close()
      const row = () => context.db('tasks').where({ id }).first('lost_count', 'done_count', 'lease_until')
      expect(await row()).to.deep.equal({ lost_count: 0, done_count: 0, lease_until: null })
      await batch
      target.answerWith((response) => response.end())
      expect(await goOn(context, { id })).to.include({ status: 'done', doneCount: 3 })
      expect(await row()).to.include({ lost_count: 0 })
    })

    it('has not lost one that is asked to stop while it claims it', async () => {
      await deliverAll()
      const { id } = await start({ perSecond: 1 })
      expect(await continueOnce(id, { ...context, closing: AbortSignal.abort() })).to.be.above(0)
      const row = () => context.db('tasks').where({ id }).first('lost_count', 'done_count', 'lease_until')
      await until('it is given back', async () => (await row()).lease_until === null)
      expect(await row()).to.include({ lost_count: 0, done_count: 0 })
      expect(await goOn(context, { id }, 1)).to.include({ doneCount: 1 })
    })

    it('has not lost one whose batch Postgres could not do', async () => {
      const { id } = await start({ perSecond: 1 })
      const error: unknown = await goOn(crashing(new Unavailable('gone')), { id }, 1).catch((e: unknown) => e)
      expect(error).to.be.instanceOf(Unavailable)
      const counts = await context.db('tasks').where({ id }).first('lost_count', 'crash_count', 'lease_until')
      expect(counts).to.deep.equal({ lost_count: 0, crash_count: 0, lease_until: null })
    })
  })

  it('is answered with its task, also if Postgres fails right after it was added', async () => {
    const { id } = await startReplay(awayAfterCommit(context), of(), lastMinute())
    expect(await stopTask(awayAfterCommit(context), line.userId, id)).to.include({ id, status: 'waiting' })
  })

  it('has not crashed if Redis has lost its job meanwhile, which is to show the progress', async () => {
    await deliverAll()
    const { id } = await start({ perSecond: 1 })
    const showProgress = () => Promise.reject(new Error(`Missing key for job ${id}. updateProgress`))
    expect(await continueTask(context, id, showProgress)).to.be.above(0)
    expect(await getTask(context, undefined, id)).to.include({ status: 'running', doneCount: 1 })
    const { crash_count: count } = await context
      .db('tasks')
      .where({ id })
      .first<{ crash_count: number }>('crash_count')
    expect(count).to.equal(0)
  })

  it('is left to the process that continues it when one that lost it crashes later', async () => {
    const { id } = await start()
    const claim = async () => {
      const claimed = await claimTask(context.db, id, 60_000)
      if (claimed === undefined || 'inMs' in claimed) throw new Error('it cannot be claimed')
      return claimed
    }
    const row = () =>
      context.db('tasks').where({ id }).first<Record<string, unknown>>('status', 'lease_until', 'crash_count')
    const first = await claim()
    await changeRows(context, 'tasks', id, { lease_until: new Date(0) })
    await claim()
    const before = await row()
    expect(await recordTaskCrash(context.db, first, 1, 5000, 'a bug')).to.be.false
    expect(await row()).to.deep.equal(before)
  })

  it('is stopped by one of two who stop it at the same time, as far as the audit log knows', async () => {
    const { id } = await start()
    const stop = () => stopTask(context, line.userId, id)
    expect(await overlap(context, stop, stop)).to.equal(undefined)
    expect(await context.db('audit_log').where({ subject_id: id }).pluck('action')).to.deep.equal([
      'task.stopped',
    ])
  })

  it('stops when somebody stops it, or its owner is disabled; and no more than three are under way', async () => {
    await deliverAll()
    const works = [await start({ perSecond: 1 }), await start(), await start()]
    await expectRefusal(
      start(),
      409,
      '3 background tasks are already running. Wait until one is done, or stop one',
    )
    const [first, second] = works
    await goOn(context, first!, 1)
    const other = await createLine(context)
    await expectRefusal(stopTask(context, other.userId, first!.id), 404)
    await stopTask(context, line.userId, first!.id)
    expect(await goOn(context, first!)).to.include({ status: 'stopped', doneCount: 1, totalCount: 3 })
    await expectRefusal(stopTask(context, line.userId, first!.id), 409)
    await disableUser(context, line.userId, 'goes_on')
    expect(await goOn(context, second!)).to.include({
      status: 'stopped',
      error: 'The user is disabled',
      doneCount: 0,
    })
  })
})
