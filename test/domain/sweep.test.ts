import { expect } from 'chai'
import { Worker } from 'bullmq'
import { MAX_LOST } from '../../src/domain/crashes.js'
import { sendMessage } from '../../src/domain/messages/send.js'
import { OVERDUE_MS, sweep } from '../../src/domain/sweep.js'
import { QUEUE_PREFIX } from '../../src/queues/queues.js'
import { describeContext, joinService } from '../helpers/context.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { until } from '../helpers/until.js'
import {
  ahead,
  changeRows,
  BEN,
  claimDelivery,
  dueAfterMs,
  dueInMs,
  hasLaneJob,
  hasMessageJob,
  makeOverdue,
  messageRow,
  deliveryRow,
  queueMessage,
  queueMessages,
  receiveForDelivery,
  receiveManyForDelivery,
  UNLIMITED,
  type DeliveryRow,
  addCopies,
  ago,
} from './fixtures.js'

describeContext('the sweep for stranded rows', (context) => {
  const sameService = joinService(context)
  const oneConnection = joinService(context, { DATABASE_POOL_SIZE: '1' })
  let line: TestLine

  beforeEach(async () => {
    // What earlier tests left is nothing to sweep any more.
    await context.db('messages').delete()
    await context.db('deliveries').delete()
    await context.redis.flushdb()
    line = await createLine(context, { ...UNLIMITED, outgoingUrl: 'http://127.0.0.1:9/events' })
  })

  it('gives a queued message without a job a new one, of the next generation', async () => {
    const id = await queueMessage(context, line)
    await makeOverdue(context, 'messages', [id], 4)
    const since = Date.now()
    expect(await sweep(context)).to.equal(1)
    expect(await messageRow(context, id)).to.include({
      status: 'queued',
      job_generation: 1,
      attempt_count: 0,
    })
    expect(await dueAfterMs(context, 'messages', id, since)).to.be.within(-5, Date.now() - since + 5)
    expect(await hasMessageJob(context, id, 1)).to.equal(true)
    expect((await context.queues.sendMessage.getJob(`${id}-g1`))?.data).to.deep.equal({ v: 1, id })
  })

  it('needs one connection, because those who have the others may wait for the rows that it has locked', async () => {
    const id = await queueMessage(context, line)
    await makeOverdue(context, 'messages', [id], 4)
    expect(await sweep(oneConnection)).to.equal(1)
    expect(await messageRow(context, id)).to.include({ job_generation: 1 })
  })

  it('has the job of an overdue row worked on now, which a clock that is ahead has put off', async () => {
    const id = await queueMessage(context, line)
    const data = { v: 1, id } as const
    await context.queues.sendMessage.add('send-message', data, { jobId: id, delay: 3_600_000 })
    await makeOverdue(context, 'messages', [id], 4)
    expect(await sweep(context)).to.equal(0)
    expect(await (await context.queues.sendMessage.getJob(id))!.isWaiting()).to.equal(true)
    expect(await messageRow(context, id)).to.include({ job_generation: 0, not_before: null })
  })

  it('leaves a message alone until it is overdue by 3 seconds', async () => {
    // A busy machine may need so long from one statement to the next.
    const found = await until('it is swept within 3 seconds', async () => {
      const startedAt = performance.now()
      const id = await queueMessage(context, line)
      const count = await sweep(context)
      const isInTime = performance.now() - startedAt < OVERDUE_MS
      return isInTime && { count, generation: (await messageRow(context, id)).job_generation }
    })
    expect(found).to.deep.equal({ count: 0, generation: 0 })
  })

  it('leaves a message with a job alone, and looks at it again later', async () => {
    const id = await queueMessage(context, line)
    await context.queues.enqueueMessages([{ id, generation: 0 }])
    await makeOverdue(context, 'messages', [id])
    expect(await sweep(context)).to.equal(0)
    expect(await messageRow(context, id)).to.include({ job_generation: 0 })
    expect(await dueInMs(context, 'messages', id)).to.be.within(5000, 15_000)
  })

  it('leaves a message alone that is behind another: the other’s end brings it', async () => {
    const [first, second] = await queueMessages(context, line, 2)
    await context.queues.enqueueMessages([{ id: first!, generation: 0 }])
    await makeOverdue(context, 'messages', [first!, second!])
    expect(await sweep(context)).to.equal(0)
    expect(await messageRow(context, second!)).to.include({ job_generation: 0 })
    expect(await dueInMs(context, 'messages', second!)).to.be.within(5000, 15_000)
  })

  it('gives the first of a number a job, not the ones behind it', async () => {
    const [first, second] = await queueMessages(context, line, 2)
    const other = await queueMessage(context, line, { to_number: BEN })
    await makeOverdue(context, 'messages', [first!, second!, other])
    expect(await sweep(context)).to.equal(2)
    expect(await hasMessageJob(context, first!, 1)).to.equal(true)
    expect(await hasMessageJob(context, second!, 1)).to.equal(false)
    expect(await hasMessageJob(context, other, 1)).to.equal(true)
  })

  it('passes over messages that wait for their slot', async () => {
    line = await createLine(context, { messagesPerNumberPerMinute: 1 })
    const [first, second] = await queueMessages(context, line, 2)
    await sendMessage(context, first!)
    await sendMessage(context, second!)
    expect(await sweep(context)).to.equal(0)
  })

  it('passes over messages that are not queued', async () => {
    for (const status of ['sending', 'sent', 'delivered', 'failed', 'unknown']) {
      const id = await queueMessage(context, line, { status })
      await makeOverdue(context, 'messages', [id])
    }
    expect(await sweep(context)).to.equal(0)
  })

  it('wakes the lane of an endpoint in which nobody brings what is due, once however often it looks', async () => {
    const [{ id, endpoint_id: endpointId }, later] = (await receiveManyForDelivery(context, line, 2)) as [
      DeliveryRow,
      DeliveryRow,
    ]
    await context.redis.flushdb()
    await makeOverdue(context, 'deliveries', [id], 4)
    expect(await sweep(context)).to.equal(1)
    expect(await deliveryRow(context, id)).to.include({ status: 'pending', attempt_count: 0 })
    await sweep(context)
    const jobs = await context.queues.deliverEvent.getJobs()
    expect(jobs.map(({ data }) => data)).to.deep.equal([{ v: 1, id, endpointId }])
    expect(later.endpoint_id).to.equal(endpointId)
  })

  it('leaves a lane alone whose deliveries are not overdue, or not pending, or in which a request is under way', async () => {
    const held = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', held.id, { status: 'held' })
    await makeOverdue(context, 'deliveries', [held.id])
    const fresh = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', fresh.id, { due_at: ahead(context, '1 minute') })
    const busy = await createLine(context, { ...UNLIMITED, outgoingUrl: 'http://127.0.0.1:9/events' })
    const [underWay, behind] = (await receiveManyForDelivery(context, busy, 2)) as [DeliveryRow, DeliveryRow]
    await claimDelivery(context, underWay.id)
    await makeOverdue(context, 'deliveries', [behind.id])
    expect(await sweep(context)).to.equal(0)
  })

  it('gives a suspect its own job again when Redis has lost it, once, also while other requests are under way', async () => {
    const [suspect, other] = (await receiveManyForDelivery(context, line, 2)) as [DeliveryRow, DeliveryRow]
    await changeRows(context, 'deliveries', suspect.id, { lost_count: MAX_LOST, job_generation: MAX_LOST })
    await makeOverdue(context, 'deliveries', [suspect.id])
    await claimDelivery(context, other.id)
    await context.redis.flushdb()
    for (let n = 0; n < 2; n += 1) expect(await sweep(context)).to.equal(1)
    const jobs = await context.queues.deliverEvent.getJobs()
    const { id, endpoint_id: endpointId } = suspect
    expect(jobs.map(({ data }) => data)).to.have.deep.members([
      { v: 1, id, endpointId },
      { v: 1, id, endpointId, isSuspect: true },
    ])
  })

  it('leaves a suspect of a paused endpoint alone, and one that is not overdue', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    await context.redis.flushdb()
    await changeRows(context, 'deliveries', id, { lost_count: MAX_LOST, due_at: ahead(context, '1 minute') })
    expect(await sweep(context)).to.equal(0)
    await makeOverdue(context, 'deliveries', [id])
    await changeRows(context, 'endpoints', endpointId, { paused_at: new Date() })
    expect(await sweep(context)).to.equal(0)
  })

  it('does it once when several processes sweep at the same time', async () => {
    const ids: string[] = []
    for (let n = 0; n < 50; n += 1) {
      ids.push(await queueMessage(context, line, { to_number: `+1500555${2000 + n}` }))
    }
    const deliveries = await receiveManyForDelivery(context, line, 50)
    await context.redis.flushdb()
    await makeOverdue(context, 'messages', ids)
    await makeOverdue(
      context,
      'deliveries',
      deliveries.map(({ id }) => id),
    )
    const counts = await Promise.all([context, sameService, context, sameService].map((each) => sweep(each)))
    // One lane, which each of them may see.
    expect(counts.reduce((sum, count) => sum + count)).to.be.within(51, 54)
    expect(await context.queues.sendMessage.count()).to.equal(50)
    expect(await context.queues.deliverEvent.count()).to.equal(1)
    const rows = context.db('messages').where({ status: 'queued' })
    expect(await rows.distinct('job_generation').pluck('job_generation')).to.deep.equal([1])
  })

  it('goes on batch after batch: more than 1,000 rows in one sweep', async () => {
    const id = await queueMessage(context, line, { due_at: ago(context, '10 seconds') })
    await addCopies(context, 'messages', id, 2499, { to_number: `'+1' || n` })
    expect(await sweep(context)).to.equal(2500)
    expect(await context.queues.sendMessage.count()).to.equal(2500)
    expect(await sweep(context)).to.equal(0)
  })

  it('gives new jobs for rows whose job has failed for good', async () => {
    const id = await queueMessage(context, line)
    await context.queues.enqueueMessages([{ id, generation: 0 }])
    await failNextJob()
    expect(await hasMessageJob(context, id, 0)).to.equal(true)
    await makeOverdue(context, 'messages', [id])
    expect(await sweep(context)).to.equal(1)
  })

  it('finds deliveries’ jobs and messages’ jobs each in their own queue', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    await context.redis.flushdb()
    await context.queues.enqueueMessages([{ id, generation: 0 }])
    await makeOverdue(context, 'deliveries', [id])
    expect(await sweep(context)).to.equal(1)
    expect(await hasLaneJob(context, endpointId)).to.equal(true)
  })

  /** BullMQ keeps a failed job for operators to see; nobody will work on it. */
  async function failNextJob(): Promise<void> {
    const connection = context.redis.duplicate({ maxRetriesPerRequest: null, enableOfflineQueue: true })
    const worker = new Worker('send-message', null, { connection, prefix: QUEUE_PREFIX })
    try {
      const job = await worker.getNextJob('token')
      await job.moveToFailed(new Error('no reason'), 'token')
    } finally {
      await worker.close()
      connection.disconnect()
    }
  }
})
